// tile-apply-hints: what a hint without uses promises is meant of its source from there on.
// RUN: %tilewise-opt %s --tile-apply-hints | FileCheck %s

// The statement form, in a loop: the load, the next iteration's pointers and a second hint follow the first; what stands before it does not.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] =
// CHECK: tile.load %[[AT]]
// CHECK: %[[FIRST:.*]] = tile.hint %[[AT]] divisibility [16]
// CHECK: %[[SECOND:.*]] = tile.hint %[[FIRST]] contiguity [16]
// CHECK: tile.load %[[SECOND]]
// CHECK: %[[NEXT:.*]] = tile.ptr_add %[[SECOND]]
// CHECK: scf.yield %[[NEXT]]
func.func @carried(%xs: tensor<16x!tile.ptr<f32>>, %step: tensor<16xi32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = scf.for %i = %zero to %n step %one iter_args(%at = %xs) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %before = tile.load %at : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %hint = tile.hint %at divisibility [16] : tensor<16x!tile.ptr<f32>>
    %other = tile.hint %at contiguity [16] : tensor<16x!tile.ptr<f32>>
    %after = tile.load %at : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    tile.store %at, %after : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
    tile.store %at, %before : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
    %next = tile.ptr_add %at, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  return
}

// One in a branch says nothing behind the branch; one that is used speaks of its result alone.
// CHECK-LABEL: func.func @elsewhere
// CHECK: scf.if
// CHECK: %[[HINT:.*]] = tile.hint %[[X:.*]] divisibility [4]
// CHECK: tile.store %{{.*}}, %[[HINT]]
// CHECK: tile.store %{{.*}}, %[[X]]
// CHECK: %[[USED:.*]] = tile.hint %[[X]] divisibility [8]
// CHECK: tile.store %{{.*}}, %[[USED]]
// CHECK: tile.store %{{.*}}, %[[X]]
func.func @elsewhere(%p: !tile.ptr<i32>, %x: i32, %c: i1) attributes {tile.kernel} {
  scf.if %c {
    %hint = tile.hint %x divisibility [4] : i32
    tile.store %p, %x : !tile.ptr<i32>, i32
  }
  tile.store %p, %x : !tile.ptr<i32>, i32
  %used = tile.hint %x divisibility [8] : i32
  tile.store %p, %used : !tile.ptr<i32>, i32
  tile.store %p, %x : !tile.ptr<i32>, i32
  return
}
