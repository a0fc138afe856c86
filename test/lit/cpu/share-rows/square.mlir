// RUN: %tilewise-opt --cpu-form-nests --cpu-choose-lanes --cpu-share-rows %s | FileCheck %s --check-prefix=PLAN
// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// Loads have their neighbours along the rows, stores along the lanes: a square of 16 x 16 is turned over in registers.
// PLAN-LABEL: func.func @transposed(
// PLAN: cpu.nest over [32, 64] lanes 16 along 1 rows 16 along 0
// CHECK-LABEL: func.func @transposed(
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: llvm.store {{.*}} : vector<16xf32>
func.func @transposed(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %width: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %c = tile.range 0 to 64 : tensor<64xi32>
  %y1 = tile.expand_dims %r at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %x1 = tile.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %y = tile.broadcast %y1 : tensor<32x1xi32> -> tensor<32x64xi32>
  %x = tile.broadcast %x1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %w = tile.splat %width : tensor<32x64xi32>
  %xw = arith.muli %x, %w : tensor<32x64xi32>
  %yw = arith.muli %y, %w : tensor<32x64xi32>
  %from = arith.addi %xw, %y : tensor<32x64xi32>
  %to = arith.addi %yw, %x : tensor<32x64xi32>
  %ins = tile.splat %in : tensor<32x64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<32x64x!tile.ptr<f32>>
  %ip = tile.ptr_add %ins, %from : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %op = tile.ptr_add %outs, %to : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %v = tile.load %ip : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
  tile.store %op, %v : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>
  return
}
