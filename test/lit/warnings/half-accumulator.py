# RUN: %tilewise emit --stage=opt %s:k --signature "*fp16, *fp16, i32, 64" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float16)
    for i in range(n):
        acc += tl.load(p + i * BLOCK + at)
# CHECK: half-accumulator.py:[[#@LINE-1]]:9: warning: this sum is kept in fp16 over a loop and loses small terms; start it as tl.float32 and cast the result after the loop [-Whalf-accumulator]
# CHECK: note: the loop is here: {{.*}}half-accumulator.py:9:5
    tl.store(q + at, acc)
# CHECK-NOT: : warning:
