// Products and sums that fuse, and those that do not.
// RUN: %tilewise-opt --tile-form-fma %s | FileCheck %s

// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32
func.func @sums(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32, f32) {
  // CHECK: %[[R0:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f32
  %p0 = arith.mulf %a, %b : f32
  %0 = arith.addf %p0, %c : f32
  // CHECK: %[[R1:.*]] = math.fma %[[A]], %[[C]], %[[B]] : f32
  %p1 = arith.mulf %a, %c : f32
  %1 = arith.addf %b, %p1 : f32
  // CHECK: %[[NC:.*]] = arith.negf %[[C]]
  // CHECK: %[[R2:.*]] = math.fma %[[B]], %[[B]], %[[NC]] : f32
  %p2 = arith.mulf %b, %b : f32
  %2 = arith.subf %p2, %c : f32
  // CHECK: %[[NA:.*]] = arith.negf %[[A]]
  // CHECK: %[[R3:.*]] = math.fma %[[NA]], %[[A]], %[[C]] : f32
  %p3 = arith.mulf %a, %a : f32
  %3 = arith.subf %c, %p3 : f32
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]]
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// Of two products the left one is fused.
// CHECK-LABEL: func.func @both
// CHECK: %[[RIGHT:.*]] = arith.mulf %[[Y:.*]], %[[Y]]
// CHECK: math.fma %[[X:.*]], %[[X]], %[[RIGHT]] : tensor<8xbf16>
func.func @both(%x: tensor<8xbf16>, %y: tensor<8xbf16>) -> tensor<8xbf16> {
  %xx = arith.mulf %x, %x : tensor<8xbf16>
  %yy = arith.mulf %y, %y : tensor<8xbf16>
  %s = arith.addf %xx, %yy : tensor<8xbf16>
  return %s : tensor<8xbf16>
}

// A product that is used twice is needed rounded; integers have nothing to fuse.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: math.fma
func.func @kept(%a: f64, %b: f64, %i: i32) -> (f64, f64, i32) {
  %p = arith.mulf %a, %b : f64
  %s = arith.addf %p, %a : f64
  %j = arith.muli %i, %i : i32
  %k = arith.addi %j, %i : i32
  return %p, %s, %k : f64, f64, i32
}
