// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// Stores to two tensors share a nest: the block is loaded once, and kept nowhere, unless something overlaps.
// CHECK-LABEL: func.func @twice(
// CHECK: scf.if %{{.*}} {
// One by one: the load goes to scratch, then come two nests.
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK-NOT: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
func.func @twice(%in: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %inp : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %as = tile.splat %a : tensor<256x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %ap, %x : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  %sum = arith.addf %x, %x : tensor<256xf32>
  %bs = tile.splat %b : tensor<256x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %bp, %sum : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
