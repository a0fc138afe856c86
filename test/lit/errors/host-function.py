# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

def helper():
    return 3

@triton.jit
def k(p):
    tl.store(p, helper())
# CHECK: host-function.py:[[#@LINE-1]]:17: error: 'helper' is a plain Python function, which runs only in interpreter mode; use tl.device_print to print, or decorate it with @triton.jit
