# A pointer is a condition: true unless it is null, so that an argument may be None or a tensor.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32,*fp32,i32" | FileCheck %s
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32,None,i32" | FileCheck %s --check-prefix=NONE
import triton
import triton.language as tl


@triton.jit
def k(p, bias, n):
    if bias:
        tl.store(p, tl.load(bias))
    if n > 0 and bias:
        tl.store(p, 2.0)
    tl.store(p, 3.0 if bias else 4.0)
    if not bias:
        tl.store(p, 5.0)


# CHECK: %[[#]] = tile.ptr_to_int
# CHECK: arith.cmpi ne
# CHECK: scf.if
# CHECK: tile.load
# NONE-NOT: scf.if
# NONE: tile.store
