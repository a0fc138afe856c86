# RUN: not %tilewise emit --stage=tile %s:k --signature "u32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(a, b):
    x = a // b
# CHECK: mixed-signedness.py:[[#@LINE-1]]:9: error: Cannot use '/', '//' or '%' on uint32 and int32 because they have different signedness; cast one side to the other's type
