# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

class Plain:
    pass

@triton.aggregate
class State(Plain):
    x: tl.tensor

@triton.jit
def k(p):
    s = State(tl.load(p))
# CHECK: aggregate-base.py:[[#@LINE-1]]:9: error: the module-level name 'State' ({{.*}}:9:1) cannot be evaluated: aggregates can only inherit from other aggregates, which 'Plain' is not
