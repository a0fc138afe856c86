# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    for i in tl.range(n, num_stages=n):
# CHECK: range-option.py:[[#@LINE-1]]:37: error: tl.range's num_stages must be a compile-time int, got int32
        pass
    for i in range(n, num_stage=2):
# CHECK: range-option.py:[[#@LINE-1]]:33: error: range has no parameter 'num_stage'
        pass
