# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    values = [0.0, 0.0]
    row = tl.arange(0, 16)
    for i in range(n):
        values[0] += tl.load(p + i)
# CHECK: element-of-list-assignment.py:[[#@LINE-1]]:9: error: assignment to an element of a list is not part of the kernel language; give each element a name, or make a new list
    row[0] = 1
# CHECK: element-of-list-assignment.py:[[#@LINE-1]]:5: error: assignment to an element of int32[16] is not part of the kernel language; choose per element with tl.where(...)
