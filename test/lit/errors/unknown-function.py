# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.program_idx(0)
# CHECK: unknown-function.py:[[#@LINE-1]]:12: error: tl has no 'program_idx'; did you mean 'program_id'?
