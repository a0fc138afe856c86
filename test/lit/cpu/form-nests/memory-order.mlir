// RUN: %tilewise-opt --split-input-file --cpu-form-nests %s | FileCheck %s
// RUN: %tilewise-opt --split-input-file --cpu-form-nests=checked %s | FileCheck %s --check-prefix=CHECKED

// What is loaded before a store and used behind it is kept before the store.
// CHECK-LABEL: func.func @before(
// CHECK: cpu.nest over [64] {
// CHECK-NEXT: %[[OLD:.*]] = tile.load
// CHECK-NEXT: cpu.keep %[[OLD]] into %[[SCRATCH:.*]] : tensor<64xf32>
// CHECK-NEXT: }
// CHECK: cpu.nest over [64] {
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
// CHECK: tile.barrier
// CHECK: cpu.nest over [64] {
// CHECK-NEXT: %[[KEPT:.*]] = cpu.read %[[SCRATCH]]
// CHECK-NEXT: tile.store %{{.*}}, %[[KEPT]]

// In checked mode a test of each access stands before the nest that has it.
// CHECKED-LABEL: func.func @before(
// CHECKED: cpu.check {
// CHECKED-NEXT: tile.load
// CHECKED-NEXT: }
// CHECKED: cpu.check {
// CHECKED: tile.store
// CHECKED: cpu.nest
func.func @before(%p: !tile.ptr<f32>, %v: f32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %at = tile.ptr_add %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %far = tile.ptr_add %at, %c64 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %at : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %vs = tile.splat %v : tensor<64xf32>
  tile.store %at, %vs : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.barrier
  tile.store %far, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
