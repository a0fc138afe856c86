# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = x.to(tl.int64, bitcast=True)
# CHECK: bitcast-width.py:[[#@LINE-1]]:9: error: a bitcast keeps the width, got fp32 (32 bits) to int64 (64 bits)
