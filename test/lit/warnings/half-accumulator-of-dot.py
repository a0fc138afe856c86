# RUN: %tilewise emit --stage=opt %s:k --signature "*bf16, *bf16, i32" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n):
    at = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    acc = tl.zeros((32, 32), dtype=tl.bfloat16)
    wide = tl.zeros((32, 32), dtype=tl.float32)
    for i in range(n):
        x = tl.load(p + i * 1024 + at)
        acc += tl.dot(x, x).to(tl.bfloat16)
# CHECK: half-accumulator-of-dot.py:[[#@LINE-1]]:9: warning: this sum is kept in bf16 over a loop {{.*}} [-Whalf-accumulator]
        wide += tl.dot(x, x)
# CHECK-NOT: : warning:
    tl.store(q + at, acc + wide)
