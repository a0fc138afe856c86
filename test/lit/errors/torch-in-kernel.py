# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import torch

@triton.jit
def k(p):
    x = torch.sqrt(tl.load(p))
# CHECK: torch-in-kernel.py:[[#@LINE-1]]:15: error: torch.sqrt runs on the host and is not available while compiling; did you mean 'tl.sqrt'?
