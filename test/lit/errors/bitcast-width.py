# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = x.to(tl.int64, bitcast=True)
# CHECK: bitcast-width.py:[[#@LINE-1]]:9: error: Cannot bitcast data-type of size 32 to data-type of size 64, got fp32 to int64; a bitcast keeps the width
