# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import torch

@triton.jit
def k(p):
    x = torch.sqrt(tl.load(p))
# CHECK: torch-in-kernel.py:[[#@LINE-1]]:15: error: kernels cannot look into the module 'torch' for 'sqrt'; did you mean 'tl.sqrt'?
