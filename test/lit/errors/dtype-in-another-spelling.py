# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import numpy as np

@triton.jit
def k(p, n):
    x = tl.load(p + tl.arange(0, 16))
    a = x.to("float16")
# CHECK: dtype-in-another-spelling.py:[[#@LINE-1]]:{{[0-9]+}}: error: the dtype of a cast must be a dtype such as tl.float32, got str; write tl.float16
    b = x.to(float)
# CHECK: dtype-in-another-spelling.py:[[#@LINE-1]]:{{[0-9]+}}: error: the dtype of a cast must be a dtype such as tl.float32, got the function 'float'; write tl.float32
    c = tl.zeros((16,), "quux")
# CHECK: dtype-in-another-spelling.py:[[#@LINE-1]]:{{[0-9]+}}: error: tl.zeros' dtype must be a dtype such as tl.float32, got str{{$}}
