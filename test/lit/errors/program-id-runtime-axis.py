# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    pid = tl.program_id(n)
# CHECK: program-id-runtime-axis.py:[[#@LINE-1]]:25: error: program_id axis must be 0, 1, or 2 but got int32
