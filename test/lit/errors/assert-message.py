# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" --debug 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    assert n > 0, n
# CHECK: assert-message.py:[[#@LINE-1]]:12: error: an assertion's message must be a compile-time string, got int32
