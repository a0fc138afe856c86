// RUN: %tilewise-opt --split-input-file --cpu-order-programs %s | FileCheck %s --check-prefix=ORDER
// RUN: %tilewise-opt --split-input-file --tile-to-cpu-nests --cse %s | FileCheck %s

// Axis 0 moves by rows, axis 1 by 64 elements: a thread goes along axis 1 first.
// ORDER: module attributes {tile.program_order = array<i64: 1, 0, 2>}
// CHECK: module attributes {tile.program_order = array<i64: 1, 0, 2>
// CHECK: %[[G0:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[G1:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[REST:.*]] = arith.divui %[[BEGIN:.*]], %[[G1]] : i64
// CHECK: %[[ID1:.*]] = arith.remui %[[BEGIN]], %[[G1]] : i64
// CHECK: %[[ID0:.*]] = arith.remui %[[REST]], %[[G0]] : i64
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ID0]], %{{.*}} = %[[ID1]],

func.func @fill(%out: !tile.ptr<f32>, %width: i32, %v: f32) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %y = tile.program_id 0
  %column = tile.program_id 1
  %x = arith.muli %column, %c64 : i32
  %row = arith.muli %y, %width : i32
  %first = arith.addi %row, %x : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %firsts = tile.splat %first : tensor<64xi32>
  %at = arith.addi %firsts, %r : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %outs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %vs = tile.splat %v : tensor<64xf32>
  tile.store %p, %vs : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// What another program may wait for runs in the order of the ids.
// ORDER-NOT: program_order
// ORDER-LABEL: func.func @counted(
// CHECK-NOT: program_order
// CHECK-LABEL: func.func @counted(
func.func @counted(%out: !tile.ptr<f32>, %counter: !tile.ptr<i32>, %width: i32, %v: f32) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %old = tile.atomic_rmw add %counter, %c1 : !tile.ptr<i32>, i32 -> i32
  %y = tile.program_id 0
  %column = tile.program_id 1
  %x = arith.muli %column, %c64 : i32
  %row = arith.muli %y, %width : i32
  %first = arith.addi %row, %x : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %firsts = tile.splat %first : tensor<64xi32>
  %at = arith.addi %firsts, %r : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %outs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %vs = tile.splat %v : tensor<64xf32>
  tile.store %p, %vs : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
