# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.aggregate
class State:
    x: tl.tensor
    y: tl.tensor

@triton.jit
def k(p):
    s = State(tl.load(p))
# CHECK: aggregate-field-missing.py:[[#@LINE-1]]:9: error: 'State' is missing its field 'y'
