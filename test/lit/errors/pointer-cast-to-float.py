# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = p.to(tl.float32)
# CHECK: pointer-cast-to-float.py:[[#@LINE-1]]:9: error: cannot cast pointer<fp32> to fp32; an address is 64 bits: .to(tl.int64)
