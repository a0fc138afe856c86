# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    class A:
# CHECK: class-statement.py:[[#@LINE-1]]:5: error: 'class' is not part of the kernel language
        pass
