// RUN: %tilewise-opt %s --split-input-file --gpu-expand-precision | FileCheck %s
// RUN: %tilewise-opt %s --split-input-file --gpu-expand-precision=machine=nvidia:75 | FileCheck %s --check-prefix=TURING

// Two parts of each operand, the second what the first leaves; the small products come first, and what is no number among them does not count.
// CHECK-LABEL: func.func @tf32x3(
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf32>, %[[B:.*]]: tensor<16x16xf32>, %[[ACC:.*]]: tensor<16x16xf32>)
// CHECK: %[[A0:.*]] = arith.bitcast %{{.*}} : tensor<16x16xi32> to tensor<16x16xf32>
// CHECK: %[[A1:.*]] = arith.subf %[[A]], %[[A0]]
// CHECK: %[[B0:.*]] = arith.bitcast %{{.*}} : tensor<16x16xi32> to tensor<16x16xf32>
// CHECK: %[[B1:.*]] = arith.subf %[[B]], %[[B0]]
// CHECK: %[[ONE:.*]] = tile.dot %[[A0]], %[[B1]], %{{.*}} : tensor<16x16xf32>
// CHECK: %[[TWO:.*]] = tile.dot %[[A1]], %[[B0]], %[[ONE]] : tensor<16x16xf32>
// CHECK: %[[IS:.*]] = arith.cmpf ord, %[[TWO]], %[[TWO]]
// CHECK: %[[REST:.*]] = arith.select %[[IS]], %[[TWO]]
// CHECK: %[[SUM:.*]] = tile.dot %[[A0]], %[[B0]], %[[ACC]] : tensor<16x16xf32>
// CHECK: arith.addf %[[SUM]], %[[REST]]
// No tensor core there multiplies f32.
// TURING-LABEL: func.func @tf32x3(
// TURING-NEXT: tile.dot {{.*}}tf32x3
// TURING-NEXT: return
func.func @tf32x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %sum = tile.dot %a, %b, %acc {precision = #tile<precision tf32x3>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %sum : tensor<16x16xf32>
}

// -----

// CHECK-LABEL: func.func @bf16x3
// CHECK-COUNT-3: tile.dot {{.*}} : tensor<16x16xbf16>, tensor<16x16xbf16>
// CHECK-NOT: tile.dot
func.func @bf16x3(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %sum = tile.dot %a, %b, %acc {precision = #tile<precision bf16x3>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %sum : tensor<16x16xf32>
}

// -----

// CHECK-LABEL: func.func @bf16x6
// CHECK-COUNT-6: tile.dot {{.*}} : tensor<16x16xbf16>, tensor<16x16xbf16>
// CHECK-NOT: tile.dot
func.func @bf16x6(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %acc: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %sum = tile.dot %a, %b, %acc {precision = #tile<precision bf16x6>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %sum : tensor<16x16xf32>
}

// -----

// Nothing to make parts of, and blocks too small for an instruction.
// CHECK-LABEL: func.func @stays
// CHECK: tile.dot {{.*}}ieee{{.*}} : tensor<16x16xf32>
// CHECK: tile.dot {{.*}}tf32x3{{.*}} : tensor<4x4xf32>
// CHECK: tile.dot {{.*}}tf32x3{{.*}} : tensor<16x16xf16>
// CHECK-NOT: tile.dot
func.func @stays(%a: tensor<16x16xf32>, %s: tensor<4x4xf32>, %h: tensor<16x16xf16>) -> (tensor<16x16xf32>, tensor<4x4xf32>, tensor<16x16xf32>) {
  %0 = tile.dot %a, %a, %a {precision = #tile<precision ieee>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = tile.dot %s, %s, %s {precision = #tile<precision tf32x3>} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = tile.dot %h, %h, %a {precision = #tile<precision tf32x3>} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return %0, %1, %2 : tensor<16x16xf32>, tensor<4x4xf32>, tensor<16x16xf32>
}
