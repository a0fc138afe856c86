# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(n):
    if n > 3:
# CHECK: return-of-none-on-one-path.py:[[#@LINE-1]]:5: error: Return type mismatch: 'f' returns int32 if the test of this if is true, None if it is false
        return n
    return

@triton.jit
def k(p, n):
    tl.store(p, f(n))
