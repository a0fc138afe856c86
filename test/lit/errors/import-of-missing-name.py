# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

from Inputs.helpers import doubel

@triton.jit
def k(p):
    tl.store(p, doubel(1.0))
# CHECK: import-of-missing-name.py:[[#@LINE-1]]:17: error: the file '{{.*}}helpers.py' has no 'doubel'; did you mean 'double'?
