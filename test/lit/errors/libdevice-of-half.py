# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp16" 2>&1 | FileCheck %s
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(p):
    x = libdevice.tanh(tl.load(p))
# CHECK: libdevice-of-half.py:[[#@LINE-1]]:9: error: libdevice.tanh takes (fp32) or (fp64), got (fp16); cast with .to(...)
