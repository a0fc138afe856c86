// RUN: %tilewise-opt --cpu-form-nests --cpu-choose-lanes --cpu-share-rows %s | FileCheck %s

// Two tensors have no element in common: one row at a time.
// CHECK-LABEL: func.func @add(
// CHECK: cpu.nest over [4, 256] lanes 16 along 1 {
func.func @add(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %out: !tile.ptr<f32>, %width: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 4 : tensor<4xi32>
  %c = tile.range 0 to 256 : tensor<256xi32>
  %y = tile.expand_dims %r at 1 : tensor<4xi32> -> tensor<4x1xi32>
  %x1 = tile.expand_dims %c at 0 : tensor<256xi32> -> tensor<1x256xi32>
  %x = tile.broadcast %x1 : tensor<1x256xi32> -> tensor<4x256xi32>
  %w = tile.splat %width : tensor<4x1xi32>
  %yw = arith.muli %y, %w : tensor<4x1xi32>
  %rows = tile.broadcast %yw : tensor<4x1xi32> -> tensor<4x256xi32>
  %at = arith.addi %rows, %x : tensor<4x256xi32>
  %as = tile.splat %a : tensor<4x256x!tile.ptr<f32>>
  %bs = tile.splat %b : tensor<4x256x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<4x256x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %at : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  %bp = tile.ptr_add %bs, %at : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  %op = tile.ptr_add %outs, %at : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  %av = tile.load %ap : tensor<4x256x!tile.ptr<f32>> -> tensor<4x256xf32>
  %bv = tile.load %bp : tensor<4x256x!tile.ptr<f32>> -> tensor<4x256xf32>
  %sum = arith.addf %av, %bv : tensor<4x256xf32>
  tile.store %op, %sum : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xf32>
  return
}
