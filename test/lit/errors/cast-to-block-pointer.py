# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = x.to(tl.pointer_type(tl.float32))
# CHECK: cast-to-block-pointer.py:[[#@LINE-1]]:9: error: cannot cast fp32 to pointer<fp32>
