# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    match n:
# CHECK: match-statement.py:[[#@LINE-1]]:5: error: 'match' is not part of the kernel language
        case 1:
            pass
