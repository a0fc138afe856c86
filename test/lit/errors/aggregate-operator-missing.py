# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.aggregate
class State:
    x: tl.tensor

@triton.jit
def k(p):
    s = State(tl.load(p))
    t = s + 1.0
# CHECK: aggregate-operator-missing.py:[[#@LINE-1]]:9: error: operator '+' cannot take a State and float; a class defines it with a method '__add__'
