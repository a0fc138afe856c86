# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.laod(p)
# CHECK: swapped-letters.py:[[#@LINE-1]]:12: error: tl has no 'laod'; did you mean 'load'?
    y = tl.wheer(p)
# CHECK: swapped-letters.py:[[#@LINE-1]]:12: error: tl has no 'wheer'; did you mean 'where'?
    z = tl.lad(p)
# CHECK: swapped-letters.py:[[#@LINE-1]]:12: error: tl has no 'lad'; did you mean 'load'?
    w = tl.laad(x)
# CHECK: swapped-letters.py:[[#@LINE-1]]:12: error: tl has no 'laad'; did you mean 'load'?
    v = tl.doal(x)
# CHECK: swapped-letters.py:[[#@LINE-1]]:12: error: tl has no 'doal'{{$}}
