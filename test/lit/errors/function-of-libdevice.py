# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p, tl.tanh(tl.load(p)))
# CHECK: function-of-libdevice.py:[[#@LINE-1]]:{{[0-9]+}}: error: tl has no 'tanh', libdevice has: write 'from triton.language.extra import libdevice' and libdevice.tanh(...)
