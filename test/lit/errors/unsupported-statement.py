# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    try:
# CHECK: unsupported-statement.py:[[#@LINE-1]]:5: error: 'try' is not part of the kernel language
        tl.store(p, 1.0)
    except ValueError:
        pass
