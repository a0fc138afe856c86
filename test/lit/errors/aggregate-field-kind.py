# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.aggregate
class State:
    x: tl.tensor

@triton.jit
def k(p):
    s = State(3)
# CHECK: aggregate-field-kind.py:[[#@LINE-1]]:15: error: the field 'x' of 'State' is tl.tensor, got int; write tl.to_tensor(3)
