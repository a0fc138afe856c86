# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.load(p + tl.arange(0, 16))
    a = x.float()
# CHECK: method-of-torch.py:[[#@LINE-1]]:11: error: a tensor has no attribute 'float'; write .to(tl.float32)
    b = x.astype(tl.float16)
# CHECK: method-of-torch.py:[[#@LINE-1]]:11: error: a tensor has no attribute 'astype'; write .to(dtype)
    c = x.mean()
# CHECK: method-of-torch.py:[[#@LINE-1]]:11: error: a tensor has no attribute 'mean'; write tl.sum(x) / x.numel
    d = x.shape(0)
# CHECK: method-of-torch.py:[[#@LINE-1]]:9: error: tuple cannot be called; write [i] for an element
