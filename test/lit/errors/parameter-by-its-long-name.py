# The workshop's rgb2grey_k: the parameters are h and w.
# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32, i32, 16" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x_ptr, h, w, BS: tl.constexpr):
    offs = tl.arange(0, BS)
    r = tl.load(x_ptr + 0 * (height * width) + offs, mask=offs < h)
# CHECK: parameter-by-its-long-name.py:[[#@LINE-1]]:30: error: 'height' is not defined; did you mean 'h'?
