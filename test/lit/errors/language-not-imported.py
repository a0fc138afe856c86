# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton

@triton.jit
def k(p):
    tl.store(p, 1.0)
# CHECK: language-not-imported.py:[[#@LINE-1]]:5: error: 'tl' is not defined; write import triton.language as tl at the top of the file
