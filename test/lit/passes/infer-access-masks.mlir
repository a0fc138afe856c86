// Masks beyond plain bounds, and offsets that change their shape.
// RUN: %tilewise-opt --tile-infer-access --split-input-file %s | FileCheck %s

// Every second lane, one lane, the opposite of an `or`, a mask under a scalar condition, one of two bounds on one side; on
// two sides they are no box.
// CHECK-LABEL: func.func @masks
// CHECK: bounds [2 * i0 < %arg1 + -1] {{.*}} vector 1 structured
// CHECK: bounds [3 * i0 >= %arg2] {{.*}} structured
// CHECK: bounds [i0 >= %arg2, i0 < %arg2 + 1] {{.*}} structured
// CHECK: bounds [i0 >= %arg2, i0 < %arg1] {{.*}} structured
// CHECK: bounds [i0 < %arg1, %arg3] {{.*}} structured
// CHECK: bounds [i0 < %arg2 or %arg1] {{.*}} structured
// CHECK: not structured: mask
func.func @masks(%x: !tile.ptr<f32>, %n: i32, %low: i32, %yes: i1) attributes {tile.kernel} {
  %i = tile.range 0 to 32 : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %true = arith.constant dense<true> : tensor<32xi1>
  %false = arith.constant dense<false> : tensor<32xi1>
  %ns = tile.splat %n : tensor<32xi32>
  %lows = tile.splat %low : tensor<32xi32>
  %xs = tile.splat %x : tensor<32x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %twice = arith.addi %i, %i : tensor<32xi32>
  %odd = arith.addi %twice, %one : tensor<32xi32>
  %m0 = arith.cmpi slt, %odd, %ns : tensor<32xi32>
  %v0 = tile.load %p mask %m0 : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %thrice = arith.muli %i, %three : tensor<32xi32>
  %m1 = arith.cmpi sge, %thrice, %lows : tensor<32xi32>
  %v1 = tile.load %p mask %m1 : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %m2 = arith.cmpi eq, %i, %lows : tensor<32xi32>
  %v2 = tile.load %p mask %m2 : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %beyond = arith.cmpi sge, %i, %ns : tensor<32xi32>
  %below = arith.cmpi slt, %i, %lows : tensor<32xi32>
  %outside = arith.ori %beyond, %below : tensor<32xi1>
  %m3 = arith.xori %outside, %true : tensor<32xi1>
  %v3 = tile.load %p mask %m3 : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %inside = arith.cmpi slt, %i, %ns : tensor<32xi32>
  %m4 = arith.select %yes, %inside, %false : tensor<32xi1>
  %v4 = tile.load %p mask %m4 : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %m6 = arith.ori %below, %inside : tensor<32xi1>
  %v6 = tile.load %p mask %m6 : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %v5 = tile.load %p mask %outside : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  return
}

// -----

// A vector of offsets as a matrix, permuted; a matrix as a vector when its rows follow one another, and not when they do not.
// CHECK-LABEL: func.func @shapes
// CHECK: base %arg0 strides [8, 1] {{.*}} structured
// CHECK: base %arg0 strides [1, 8] bounds [i1 < %arg1] {{.*}} structured
// CHECK: base %arg0 strides [1] contiguous 32 along 0 {{.*}} structured
// CHECK: base %arg0 strides [?] {{.*}} not structured: address
func.func @shapes(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 32 : tensor<32xi32>
  %matrix = tile.reshape %i : tensor<32xi32> -> tensor<4x8xi32>
  %xs = tile.splat %x : tensor<4x8x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %matrix : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %v = tile.load %p : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
  %turned = tile.permute %matrix by [1, 0] : tensor<4x8xi32> -> tensor<8x4xi32>
  %row = tile.range 0 to 4 : tensor<4xi32>
  %ns = tile.splat %n : tensor<4xi32>
  %in = arith.cmpi slt, %row, %ns : tensor<4xi32>
  %in1 = tile.expand_dims %in at 1 : tensor<4xi1> -> tensor<4x1xi1>
  %in2 = tile.permute %in1 by [1, 0] : tensor<4x1xi1> -> tensor<1x4xi1>
  %in3 = tile.broadcast %in2 : tensor<1x4xi1> -> tensor<8x4xi1>
  %ys = tile.splat %x : tensor<8x4x!tile.ptr<f32>>
  %q = tile.ptr_add %ys, %turned : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
  %w = tile.load %q mask %in3 : tensor<8x4xi1> : tensor<8x4x!tile.ptr<f32>> -> tensor<8x4xf32>
  %flat = tile.reshape %matrix : tensor<4x8xi32> -> tensor<32xi32>
  %zs = tile.splat %x : tensor<32x!tile.ptr<f32>>
  %r = tile.ptr_add %zs, %flat : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %u = tile.load %r : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %mixed = tile.reshape %turned : tensor<8x4xi32> -> tensor<32xi32>
  %s = tile.ptr_add %zs, %mixed : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %t = tile.load %s : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  return
}
