// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// tl.where(column < n, 2 * x, fill) has no mask in the main loop, which ends where the mask does; the rest has.
// CHECK-LABEL: func.func @filled(
// CHECK: %[[END:.*]] = arith.andi %{{.*}}, %{{.*}} : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]]
// CHECK-NOT: arith.select
// CHECK-NOT: arith.cmpi
// CHECK: arith.addf
// CHECK-NOT: arith.select
// CHECK: llvm.store
// CHECK: scf.for %{{.*}} = %[[END]] to
// CHECK: arith.cmpi slt, {{.*}} : vector<16xi32>
// CHECK: arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
func.func @filled(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %ins = tile.splat %in : tensor<1024x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %inp : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %twice = arith.addf %x, %x : tensor<1024xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %y = arith.select %inside, %twice, %low : tensor<1024xi1>, tensor<1024xf32>
  %outs = tile.splat %out : tensor<1024x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %outp, %y : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
