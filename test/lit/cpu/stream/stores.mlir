// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-stream %s | FileCheck %s

// What a kernel only writes may pass the caches by: 256 bytes per program.
// CHECK: module attributes {tile.stored_bytes = 256 : i64}
// CHECK-LABEL: func.func @fill(
// CHECK: cpu.nest over [64] streams {
func.func @fill(%out: !tile.ptr<f32>, %v: f32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %vs = tile.splat %v : tensor<64xf32>
  tile.store %p, %vs : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Not through a pointer that it loads through.
// CHECK-NOT: stored_bytes
// CHECK-LABEL: func.func @negate(
// CHECK: cpu.nest over [64] {
func.func @negate(%out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = arith.negf %x : tensor<64xf32>
  tile.store %p, %y : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Nor beside atomics, which do not order such stores.
// CHECK-NOT: stored_bytes
// CHECK-LABEL: func.func @counted(
// CHECK: cpu.nest over [64] {
func.func @counted(%out: !tile.ptr<f32>, %counter: !tile.ptr<i32>, %v: f32) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %vs = tile.splat %v : tensor<64xf32>
  tile.store %p, %vs : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  %old = tile.atomic_rmw add %counter, %c1 : !tile.ptr<i32>, i32 -> i32
  return
}
