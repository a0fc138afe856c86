# RUN: %tilewise emit --stage=tile %s:k --signature "*i32, *i32" --debug | FileCheck %s
# RUN: %tilewise emit --stage=asm %s:k --signature "*i32, *i32" --debug | FileCheck %s --check-prefix=ASM
# The order in which a reduction or scan combines is open, and with it whether a step overflows: nothing is asserted of it, and it runs.
import triton
import triton.language as tl

@triton.jit
def weighed(a, b):
    return a * 3 + b

@triton.jit
def k(p, q):
    at = tl.arange(0, 16)
    x = tl.load(p + at)
# CHECK: tile.reduce(
# CHECK-NOT: tile.assert
# CHECK: tile.scan(
# CHECK-NOT: tile.assert
# CHECK: tile.reduce(
# CHECK-NOT: tile.assert
# CHECK: } : (tensor<16xi32>)
    tl.store(q, tl.sum(x))
    tl.store(q + at, tl.cumsum(x))
    last = tl.reduce(x, 0, weighed)
# CHECK: tile.assert {{.*}} "int32 overflow detected for operation add"
    tl.store(q + 1, last + 1)
# ASM: ret
