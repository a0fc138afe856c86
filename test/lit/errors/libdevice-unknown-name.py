# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl
from triton.language.extra import libdevice

@triton.jit
def k(p):
    x = libdevice.expn1(tl.load(p))
# CHECK: libdevice-unknown-name.py:[[#@LINE-1]]:{{[0-9]+}}: error: libdevice has no 'expn1'; did you mean 'expm1'?
