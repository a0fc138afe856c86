# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    while (x := tl.load(p)) > 0:
# CHECK: walrus-in-while.py:[[#@LINE-1]]:11: error: ':=' cannot stand in the test of a while; assign inside the loop
        tl.store(p, x - 1)
