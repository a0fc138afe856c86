# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def widen(a, b):
    return (a + b).to(tl.float32)

@triton.jit
def k(p):
    y = tl.reduce(tl.arange(0, 16), 0, widen)
# CHECK: combine-result-type.py:[[#@LINE-1]]:9: error: the combine function must give back int32, got fp32; cast inside it with .to(...)
