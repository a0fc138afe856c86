# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.must_use_result("assign it")
@triton.jit
def moved(x):
    return x + 1

@triton.jit
def k(p):
    moved(p)
# CHECK: must-use-result.py:[[#@LINE-1]]:5: error: The result of moved is not being used. assign it
