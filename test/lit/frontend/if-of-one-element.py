# A block of one element is a condition, with a warning.
# RUN: %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def k(p):
    big = tl.load(p + tl.arange(0, 1)) > 42
    # CHECK: if-of-one-element.py:[[#@LINE+1]]:8: warning: 'if' tests a block of one element, int1[1]; load a scalar, or use .item()
    if big:
        tl.store(p, 0)
# CHECK: scf.if %{{.*}} {
