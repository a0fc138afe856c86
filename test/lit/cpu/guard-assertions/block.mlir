// RUN: %tilewise-opt --cpu-guard-assertions %s | FileCheck %s

// The whole block is tested first; lanes off the mask do not count.
// CHECK-LABEL: func.func @below(
// CHECK: %[[FAILS:.*]] = arith.xori %[[C:.*]], %{{.*}} : tensor<64xi1>
// CHECK: %[[SEEN:.*]] = arith.andi %[[FAILS]], %[[M:.*]] : tensor<64xi1>
// CHECK: %[[ANY:.*]] = tile.reduce(%[[SEEN]]) along 0
// CHECK: arith.ori
// CHECK: scf.if %[[ANY]] {
// CHECK-NEXT: tile.assert %[[C]], "below" mask %[[M]]
func.func @below(%n: i32, %m: tensor<64xi1>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : tensor<64xi32>
  %c = arith.cmpi slt, %r, %ns : tensor<64xi32>
  tile.assert %c, "below" mask %m : tensor<64xi1> : tensor<64xi1>
  return
}
