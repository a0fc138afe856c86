// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// Load and store go through the same pointers: nothing can be overwritten too early, so nothing is tested or copied.
// CHECK: module attributes {tile.scratch_bytes = 64 : i64}
// CHECK-LABEL: func.func @double_in_place(
// CHECK-NOT: scf.if
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: llvm.store
// CHECK-NOT: scf.if
func.func @double_in_place(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sum = arith.addf %v, %v : tensor<256xf32>
  tile.store %xp, %sum : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
