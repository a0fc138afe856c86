# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.load(p + tl.arange(0, 16))
    a = tl.sum(x, dim=0)
# CHECK: library-function-signature.py:[[#@LINE-1]]:{{[0-9]+}}: error: 'sum' has no parameter 'dim'; write tl.sum(input, axis, keep_dims, dtype)
    b = tl.rand(3)
# CHECK: library-function-signature.py:[[#@LINE-1]]:{{[0-9]+}}: error: 'rand' is missing its argument 'offset'; write tl.rand(seed, offset, n_rounds)
    c = tl.sum(x, axes=0)
# CHECK: library-function-signature.py:[[#@LINE-1]]:{{[0-9]+}}: error: 'sum' has no parameter 'axes'; did you mean 'axis'?{{$}}
