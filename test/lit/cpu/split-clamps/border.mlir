// RUN: %tilewise-opt --cpu-split-clamps %s | FileCheck %s

// Blocks inside load without the clamp; the others as they are written.
// CHECK-LABEL: func.func @rows(
// CHECK: %[[ID:.*]] = tile.program_id 0
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : i64
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : i64
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.if %[[INSIDE]] {
// CHECK-NOT: arith.maxsi
// CHECK-NOT: arith.minsi
// CHECK: tile.load
// CHECK: tile.store
// CHECK: } else {
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: tile.load
// CHECK: tile.store
// CHECK: return
func.func @rows(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %w: i32) attributes {tile.kernel} {
  %id = tile.program_id 0
  %c64 = arith.constant 64 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<64xi32>
  %first = arith.muli %id, %c64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %firsts = tile.splat %first : tensor<64xi32>
  %x = arith.addi %firsts, %r : tensor<64xi32>
  %low = arith.maxsi %x, %zero : tensor<64xi32>
  %last = arith.subi %w, %c1 : i32
  %lasts = tile.splat %last : tensor<64xi32>
  %j = arith.minsi %low, %lasts : tensor<64xi32>
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %at = tile.ptr_add %ps, %j : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %at : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %qs = tile.splat %q : tensor<64x!tile.ptr<f32>>
  %to = tile.ptr_add %qs, %x : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// A clamp of values, not of offsets, is left alone.
// CHECK-LABEL: func.func @values(
// CHECK-NOT: scf.if
// CHECK: return
func.func @values(%q: !tile.ptr<i32>, %w: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ws = tile.splat %w : tensor<64xi32>
  %j = arith.minsi %r, %ws : tensor<64xi32>
  %qs = tile.splat %q : tensor<64x!tile.ptr<i32>>
  %to = tile.ptr_add %qs, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %to, %j : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  return
}
