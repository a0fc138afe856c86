# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = p.dtype.element_type
# CHECK: unknown-dtype-attribute.py:[[#@LINE-1]]:17: error: the dtype pointer<fp32> has no 'element_type'; did you mean 'element_ty'?
