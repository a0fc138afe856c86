// RUN: %tilewise-opt %s --split-input-file --gpu-sink-widenings | FileCheck %s

// The weights become floats behind the sum, which does not need them; the row before it.
// CHECK-LABEL: @norm
// CHECK: arith.extf %arg0
// CHECK: tile.reduce
// CHECK: arith.extf %arg1
// CHECK-NEXT: arith.mulf
func.func @norm(%x16: tensor<256xf16>, %w16: tensor<256xf16>) -> (f32, tensor<256xf32>) {
  %w = arith.extf %w16 : tensor<256xf16> to tensor<256xf32>
  %x = arith.extf %x16 : tensor<256xf16> to tensor<256xf32>
  %sum = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<256xf32>) -> f32
  %y = arith.mulf %x, %w : tensor<256xf32>
  return %sum, %y : f32, tensor<256xf32>
}

// -----

// Two steps go down together, and stop before a loop that uses the result. What narrows stays.
// CHECK-LABEL: @steps
// CHECK: arith.truncf
// CHECK: arith.negf
// CHECK: arith.extsi {{.*}} to tensor<64xi16>
// CHECK-NEXT: arith.extsi {{.*}} to tensor<64xi32>
// CHECK-NEXT: scf.for
func.func @steps(%x8: tensor<64xi8>, %f: tensor<64xf32>, %n: i32) -> (tensor<64xi32>, tensor<64xf16>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x16 = arith.extsi %x8 : tensor<64xi8> to tensor<64xi16>
  %x = arith.extsi %x16 : tensor<64xi16> to tensor<64xi32>
  %h = arith.truncf %f : tensor<64xf32> to tensor<64xf16>
  %m = arith.negf %h : tensor<64xf16>
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> (tensor<64xi32>) : i32 {
    %t = arith.addi %s, %x : tensor<64xi32>
    scf.yield %t : tensor<64xi32>
  }
  return %sum, %m : tensor<64xi32>, tensor<64xf16>
}
