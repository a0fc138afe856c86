# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = tl.sqrt(x)
# CHECK: sqrt-of-int.py:[[#@LINE-1]]:17: error: Expected dtype fp32 or fp64 for tl.sqrt, got int32; write tl.sqrt(x.to(tl.float32))
