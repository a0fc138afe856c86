// RUN: %tilewise-opt --tile-to-cpu-nests --cse --split-input-file %s | FileCheck %s

// Elements exchanged over a distance of 33: whole vectors from 32 before or behind, neighbours swapped in registers.
// CHECK-LABEL: func.func @exchanged(
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: arith.xori %{{.*}}, %c32_i64
// CHECK: %[[THERE:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK: vector.shuffle %[[THERE]], %[[THERE]] [1, 0, 3, 2,
func.func @exchanged(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %inp : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %c = arith.constant dense<33> : tensor<64xi32>
  %with = arith.xori %r, %c : tensor<64xi32>
  %y = tile.gather %x[%with] along 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %outp, %y : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// 32 is no position: what is out of range gives 0, so lanes ask one by one.
// CHECK-LABEL: func.func @beyond(
// CHECK: llvm.intr.masked.gather
func.func @beyond(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %ins = tile.splat %in : tensor<32x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %x = tile.load %inp : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %c = arith.constant dense<32> : tensor<32xi32>
  %with = arith.xori %r, %c : tensor<32xi32>
  %y = tile.gather %x[%with] along 0 : tensor<32xf32>, tensor<32xi32> -> tensor<32xf32>
  %outs = tile.splat %out : tensor<32x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %outp, %y : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  return
}

// -----

// All lanes of a row have one index: the row is read as vectors.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.load {{.*}} -> vector<16xf32>
func.func @rows(%in: !tile.ptr<f32>, %which: !tile.ptr<i32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %inp : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %source = tile.reshape %x : tensor<256xf32> -> tensor<8x32xf32>
  %rows = tile.range 0 to 8 : tensor<8xi32>
  %ws = tile.splat %which : tensor<8x!tile.ptr<i32>>
  %wp = tile.ptr_add %ws, %rows : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %w = tile.load %wp : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
  %column = tile.expand_dims %w at 1 : tensor<8xi32> -> tensor<8x1xi32>
  %index = tile.broadcast %column : tensor<8x1xi32> -> tensor<8x32xi32>
  %y = tile.gather %source[%index] along 0 : tensor<8x32xf32>, tensor<8x32xi32> -> tensor<8x32xf32>
  %flat = tile.reshape %y : tensor<8x32xf32> -> tensor<256xf32>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %outp, %flat : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
