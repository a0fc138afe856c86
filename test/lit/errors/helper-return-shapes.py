# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(n):
    if n == 0:
# CHECK: helper-return-shapes.py:[[#@LINE-1]]:5: error: Return type mismatch: 'f' returns int32[4] if the test of this if is true, int32[8] if it is false
# CHECK: note: 'f' was called from here: {{.*}}helper-return-shapes.py:16:9
        return tl.arange(0, 4)
    else:
        return tl.arange(0, 8)

@triton.jit
def k(p, n):
    x = f(n)
