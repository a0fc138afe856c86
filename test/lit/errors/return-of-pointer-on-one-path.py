# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(p, n):
    if n > 3:
# CHECK: return-of-pointer-on-one-path.py:[[#@LINE-1]]:5: error: Return type mismatch: 'f' returns pointer<fp32> if the test of this if is true, None if it is false
        return p

@triton.jit
def k(p, n):
    tl.store(f(p, n), 1.0)
