# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    if p == None:
# CHECK: pointer-compared-with-none.py:[[#@LINE-1]]:13: error: operator '==' cannot compare pointer<fp32> with None; write 'is None' or 'is not None'
        pass
