# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.zeros((16,), dtype=tl.float23)
# CHECK: unknown-type-name.py:[[#@LINE-1]]:34: error: tl has no 'float23'; did you mean 'float32'?
