// Round trip of shape, atomic, scan and message ops.
// RUN: %tilewise-opt %s | %tilewise-opt | FileCheck %s

// CHECK-LABEL: func.func @shape
func.func @shape(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>, %s: f32) {
  // CHECK: tile.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK: tile.permute %{{.*}} by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = tile.permute %x by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %2 = tile.join %x, %x : tensor<4x8xf32> -> tensor<4x8x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<4x8x2xf32> -> tensor<4x8xf32>
  %3:2 = tile.split %2 : tensor<4x8x2xf32> -> tensor<4x8xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : f32 -> tensor<2xf32>
  %5 = tile.join %s, %s : f32 -> tensor<2xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] along 1 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  %6 = tile.gather %x[%i] along 1 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%p: !tile.ptr<i32>, %v: i32, %m: i1, %c: tensor<16xi32>, %cm: tensor<16xi1>) {
  // CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} mask %{{.*}} : i1 : !tile.ptr<i32>, i32 -> i32
  %0 = tile.atomic_rmw add %p, %v mask %m : i1 : !tile.ptr<i32>, i32 -> i32
  // CHECK: tile.atomic_rmw and {{.*}} {order = #tile<order relaxed>, scope = #tile<scope cta>}
  %1 = tile.atomic_rmw and %p, %v {order = #tile<order relaxed>, scope = #tile<scope cta>} : !tile.ptr<i32>, i32 -> i32
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32> -> i32
  %2 = tile.atomic_cas %p, %v, %v : !tile.ptr<i32> -> i32
  // CHECK: tile.ptr_to_int
  %3 = tile.ptr_to_int %p : !tile.ptr<i32> -> i64
  // CHECK: tile.int_to_ptr
  %4 = tile.int_to_ptr %3 : i64 -> !tile.ptr<f32>
  // CHECK: tile.ptr_cast
  %5 = tile.ptr_cast %4 : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: tile.scan(%{{.*}}) along 0 reverse
  %6 = tile.scan (%c) along 0 reverse {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  } : (tensor<16xi32>) -> tensor<16xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<16xi1> : tensor<16xi32> -> tensor<8xi32>
  %7 = tile.histogram %c mask %cm : tensor<16xi1> : tensor<16xi32> -> tensor<8xi32>
  // CHECK: tile.print "c", %{{.*}}, %{{.*}} {hex, isSigned = array<i1: true, false>} : tensor<16xi32>, i32
  tile.print "c", %c, %v {isSigned = array<i1: true, false>, hex} : tensor<16xi32>, i32
  // CHECK: tile.assert %{{.*}}, "all small" mask
  tile.assert %cm, "all small" mask %cm : tensor<16xi1> : tensor<16xi1>
  // CHECK: tile.barrier
  tile.barrier
  return
}
