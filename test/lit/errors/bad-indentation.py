# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = 1
      y = 2
# CHECK: bad-indentation.py:[[#@LINE-1]]:7: error: this line is indented deeper than the block it stands in
