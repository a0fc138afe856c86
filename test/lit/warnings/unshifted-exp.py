# RUN: %tilewise emit --stage=opt -Wunshifted-exp %s:overflows --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
# RUN: %tilewise emit --stage=opt -Wunshifted-exp %s:shifted --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
# RUN: %tilewise emit --stage=opt -Wunshifted-exp %s:silu_sum --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def overflows(p, q, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    x = tl.load(p + row + at, at < n, -float("inf"))
# CHECK: unshifted-exp.py:[[#@LINE+1]]:9: warning: this exponential overflows from 89 on (in fp16 from 12): no maximum was subtracted; write tl.exp(x - tl.max(x, axis=0)), which gives the same quotient [-Wunshifted-exp]
    e = tl.exp(x * 0.5)
# CHECK: note: it is summed here: {{.*}}unshifted-exp.py:[[#@LINE+1]]
    tl.store(q + row + at, e / tl.sum(e, axis=0), at < n)

@triton.jit
def shifted(p, q, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * n
    x = tl.load(p + row + at, at < n, -float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(q + row + at, e / tl.sum(e, axis=0), at < n)

# A sum of exponentials by which nothing is divided.
@triton.jit
def silu_sum(p, q, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(p + at, at < n, -float("inf"))
    tl.store(q + at, x / (1 + tl.exp(-x)) + tl.sum(tl.exp(x), axis=0), at < n)
