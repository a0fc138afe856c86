# What a signature gives beyond the named parameters goes to *more, types and constants alike; what follows it has its own entry.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, i32, *fp32:16, 7, 3" | FileCheck %s
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32" | FileCheck %s --check-prefix=NONE
# RUN: not %tilewise emit --stage=tile %s:plain --signature "*fp32, i32" 2>&1 | FileCheck %s --check-prefix=PLAIN
import triton
import triton.language as tl


@triton.jit
def k(p, *more, COUNT: tl.constexpr = 0):
    tl.static_assert(len(more) == COUNT)
    if COUNT == 3:
        tl.store(p + more[0], tl.load(more[1]) + more[2])
# CHECK: func.func @k(%[[P:.*]]: !tile.ptr<f32> {tile.name = "p"}, %[[N:.*]]: i32 {tile.name = "more[0]"}, %[[Q:.*]]: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "more[1]"})
# CHECK-DAG: tile.ptr_add %[[P]], %[[N]]
# CHECK-DAG: tile.load %[[Q]]
# CHECK-DAG: arith.constant 7.000000e+00
# NONE: func.func @k(%{{.*}}: !tile.ptr<f32> {tile.name = "p"})


@triton.jit
def plain(p):
    tl.store(p, 1)
# PLAIN: further-arguments.py:[[#@LINE-2]]:5: error: the kernel 'plain' has 1 parameters, the signature gives 2
