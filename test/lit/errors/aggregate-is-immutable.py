# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.aggregate
class State:
    x: tl.tensor

@triton.jit
def k(p):
    s = State(tl.load(p))
    s.x = tl.load(p + 1)
# CHECK: aggregate-is-immutable.py:[[#@LINE-1]]:7: error: the field 'x' of 'State' cannot be assigned: records do not change; make a new one, or use tl.aggregate_replace(x, x=...)
