# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    pid = tl.program_id(20)
# CHECK: program-id-axis.py:[[#@LINE-1]]:25: error: program_id axis must be 0, 1, or 2 but got 20
