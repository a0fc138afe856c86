# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def inner(p):
    tl.store(p, p)
# CHECK: call-chain.py:[[#@LINE-1]]:17: error: tl.store cannot write pointer<fp32> through a pointer<fp32>

@triton.jit
def outer(p):
    inner(p)

@triton.jit
def k(p):
    outer(p)
# CHECK: note: 'inner' was called from here: {{.*}}call-chain.py:12:5
# CHECK: note: 'outer' was called from here: {{.*}}call-chain.py:16:5
