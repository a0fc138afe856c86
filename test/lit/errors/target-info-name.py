# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    if tl.target_info.is_cudda():
# CHECK: target-info-name.py:[[#@LINE-1]]:23: error: target_info has no 'is_cudda'; did you mean 'is_cuda'?
        pass
