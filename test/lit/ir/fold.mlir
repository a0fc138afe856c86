// Folders and canonical forms; for constants they define the edge cases of the total integer ops once.
// RUN: %tilewise-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @division
func.func @division(%x: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %minus = arith.constant -1 : i32
  %minus7 = arith.constant -7 : i32
  %c2 = arith.constant 2 : i32
  %least = arith.constant -2147483648 : i32
  // 7 / 0 is all ones, -7 / 2 goes towards zero, INT_MIN / -1 wraps.
  %0 = tile.div_s %c7, %c0 : i32
  %1 = tile.div_s %minus7, %c2 : i32
  %2 = tile.div_s %least, %minus : i32
  %3 = tile.rem_s %minus7, %c0 : i32
  %4 = tile.rem_s %minus7, %c2 : i32
  %5 = tile.rem_s %least, %minus : i32
  %6 = tile.div_u %minus, %c2 : i32
  %7 = tile.rem_u %c7, %c0 : i32
  %8 = tile.div_s %x, %c1 : i32
  // CHECK-DAG: %[[M1:.*]] = arith.constant -1 : i32
  // CHECK-DAG: %[[M3:.*]] = arith.constant -3 : i32
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant -2147483648 : i32
  // CHECK-DAG: %[[M7:.*]] = arith.constant -7 : i32
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[MAX:.*]] = arith.constant 2147483647 : i32
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : i32
  // CHECK: return %[[M1]], %[[M3]], %[[LEAST]], %[[M7]], %[[M1]], %[[C0]], %[[MAX]], %[[C7]], %arg0
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: func.func @shifts
func.func @shifts(%x: i8) -> (i8, i8, i8, i8, i8) {
  %c0 = arith.constant 0 : i8
  %c8 = arith.constant 8 : i8
  %c100 = arith.constant 100 : i8
  %minus = arith.constant -128 : i8
  %c1 = arith.constant 1 : i8
  %0 = tile.shl %c100, %c8 : i8
  %1 = tile.shr_s %minus, %c8 : i8
  %2 = tile.shr_u %minus, %minus : i8
  %3 = tile.shl %c100, %c1 : i8
  %4 = tile.shr_s %x, %c0 : i8
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i8
  // CHECK-DAG: %[[M1:.*]] = arith.constant -1 : i8
  // CHECK-DAG: %[[M56:.*]] = arith.constant -56 : i8
  // CHECK: return %[[C0]], %[[M1]], %[[C0]], %[[M56]], %arg0
  return %0, %1, %2, %3, %4 : i8, i8, i8, i8, i8
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%s: f32, %x: tensor<8x1xf32>, %y: tensor<8xf32>) -> (tensor<4xi32>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<8x4xf32>, tensor<8x1xf32>, tensor<8xf32>, tensor<8xf32>) {
  // splat of a constant; shape ops of a splat; broadcast of broadcast; what changes nothing.
  %c = arith.constant 3 : i32
  %0 = tile.splat %c : tensor<4xi32>
  %s0 = tile.splat %s : tensor<1x8xf32>
  %1 = tile.broadcast %s0 : tensor<1x8xf32> -> tensor<4x8xf32>
  %s1 = tile.splat %s : tensor<8xf32>
  %2 = tile.expand_dims %s1 at 0 : tensor<8xf32> -> tensor<1x8xf32>
  %b0 = tile.broadcast %x : tensor<8x1xf32> -> tensor<8x1xf32>
  %3 = tile.broadcast %b0 : tensor<8x1xf32> -> tensor<8x4xf32>
  %4 = tile.permute %x by [0, 1] : tensor<8x1xf32> -> tensor<8x1xf32>
  %j = tile.join %y, %s1 : tensor<8xf32> -> tensor<8x2xf32>
  %5:2 = tile.split %j : tensor<8x2xf32> -> tensor<8xf32>
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<3> : tensor<4xi32>
  // CHECK-DAG: %[[S4:.*]] = tile.splat %arg0 : tensor<4x8xf32>
  // CHECK-DAG: %[[S1:.*]] = tile.splat %arg0 : tensor<1x8xf32>
  // CHECK-DAG: %[[S8:.*]] = tile.splat %arg0 : tensor<8xf32>
  // CHECK-DAG: %[[B:.*]] = tile.broadcast %arg1 : tensor<8x1xf32> -> tensor<8x4xf32>
  // CHECK: return %[[C]], %[[S4]], %[[S1]], %[[B]], %arg1, %arg2, %[[S8]]
  return %0, %1, %2, %3, %4, %5#0, %5#1 : tensor<4xi32>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<8x4xf32>, tensor<8x1xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @memory
func.func @memory(%p: tensor<4x!tile.ptr<f32>>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x!tile.ptr<f32>>) {
  %on = arith.constant dense<true> : tensor<4xi1>
  %off = arith.constant dense<false> : tensor<4xi1>
  %zero = arith.constant dense<0> : tensor<4xi32>
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[ON:.*]] = tile.load %arg0 : tensor<4x!tile.ptr<f32>>
  %0 = tile.load %p mask %on : tensor<4xi1> other %v : tensor<4xf32> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %1 = tile.load %p mask %off : tensor<4xi1> other %v : tensor<4xf32> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %2 = tile.load %p mask %off : tensor<4xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  // CHECK-NEXT: tile.store %arg0, %arg1 : tensor<4x!tile.ptr<f32>>
  tile.store %p, %v mask %on : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  // CHECK-NOT: tile.store
  tile.store %p, %v mask %off : tensor<4xi1> : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  %3 = tile.ptr_add %p, %zero : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  // CHECK: return %[[ON]], %arg1, %[[ZERO]], %arg0
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x!tile.ptr<f32>>
}
