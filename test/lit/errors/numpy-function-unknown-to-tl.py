# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import numpy as np

@triton.jit
def k(p):
    x = np.linspace(0, 1, 16)
# CHECK: numpy-function-unknown-to-tl.py:[[#@LINE-1]]:12: error: kernels cannot look into the module 'numpy' for 'linspace'
