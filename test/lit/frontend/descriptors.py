# RUN: %tilewise emit --stage=tile %s:k --signature "tensordesc<fp16[16, 32]>, tensordesc<fp16[16, 32], nan>, i32" | FileCheck %s
import triton
import triton.language as tl

# A descriptor of the host is its base, its extents and all strides but the last.
# CHECK: func.func @k(%[[X:.*]]: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "x"}, %[[M:.*]]: i32 {tile.name = "x.shape[0]"}, %[[N:.*]]: i32 {tile.name = "x.shape[1]"}, %[[S:.*]]: i64 {tile.divisibility = 8 : i32, tile.name = "x.strides[0]"}
# CHECK-SAME: %[[Y:.*]]: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "y"}
@triton.jit
def k(x, y, i):
# CHECK-DAG: arith.muli {{.*}} : tensor<16x1xi64>
# CHECK-DAG: arith.cmpi sge, {{.*}} : tensor<16x1xi64>
# CHECK-DAG: arith.cmpi slt, {{.*}} : tensor<1x32xi64>
# CHECK: tile.load {{.*}} mask {{.*}} : tensor<16x32x!tile.ptr<f16>> -> tensor<16x32xf16>
    a = x.load([i, 0])
# CHECK: 0x7E00
# CHECK: tile.load {{.*}} mask {{.*}} other {{.*}} : tensor<16x32x!tile.ptr<f16>> -> tensor<16x32xf16>
    b = y.load([i, 0])
# CHECK: tile.store {{.*}} mask {{.*}} : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xf16>
    x.store([i, 32], (a + b).to(tl.float32))
