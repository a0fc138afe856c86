// RUN: %tilewise-opt --tile-to-cpu-nests --cse --split-input-file %s | FileCheck %s

// A line of neighbours is scanned 16 at a time: four steps inside of a vector, then the sum of all before it, which is all that one vector
// takes from the last.
// CHECK-LABEL: func.func @along(
// CHECK: scf.for %{{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-4: vector.shuffle
// CHECK: %[[VECTOR:.*]] = arith.select
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[VECTOR]]
// CHECK: llvm.store %[[NEXT]]
// CHECK: %[[TOTAL:.*]] = vector.shuffle %[[VECTOR]], %[[VECTOR]] [15, 15,
// CHECK: %[[CARRY:.*]] = arith.addf %[[BEFORE]], %[[TOTAL]]
// CHECK: scf.yield %[[CARRY]]
func.func @along(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %inp : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %s = tile.scan(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64xf32>) -> tensor<64xf32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %outp, %s : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Lines beside each other: one element of each in a vector, no shuffles.
// CHECK-LABEL: func.func @beside(
// CHECK: scf.for %{{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: %[[ROW:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[BEFORE]], %[[ROW]]
// CHECK-NOT: vector.shuffle
// CHECK: scf.yield %[[NEXT]]
func.func @beside(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %inp : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %y = tile.reshape %x : tensor<256xf32> -> tensor<8x32xf32>
  %s = tile.scan(%y) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %z = tile.reshape %s : tensor<8x32xf32> -> tensor<256xf32>
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %outp, %z : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
