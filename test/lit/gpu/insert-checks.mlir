// RUN: tilewise-opt %s --gpu-insert-checks | FileCheck %s

// The memory of an argument comes as two more arguments, once for all accesses that are made from it.
// CHECK: module attributes {gpu.checked_arguments = array<i32: 0, 1>}
// CHECK: func.func @kernel(%[[X:.*]]: !tile.ptr<f32> {tile.name = "x"}, %[[Y:.*]]: !tile.ptr<f32> {tile.name = "y"}, %{{.*}}: i1, %[[XB:.*]]: i64, %[[XE:.*]]: i64, %[[YB:.*]]: i64, %[[YE:.*]]: i64)
func.func @kernel(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"}, %which: i1) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %c = arith.constant dense<9> : tensor<64xi32>
  %m = arith.cmpi slt, %r, %c : tensor<64xi32>
  // CHECK: gpu.check "load" %[[P:.*]] mask %[[M:.*]] : tensor<64xi1> in ["x"] from %[[XB]] to %[[XE]] : tensor<64x!tile.ptr<f32>>
  // CHECK-NEXT: tile.load %[[P]] mask %[[M]]
  %v = tile.load %p mask %m : tensor<64xi1> : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  // Either argument's memory will do.
  // CHECK: %[[Q:.*]] = arith.select
  // CHECK: gpu.check "store" %[[Q]] in ["x", "y"] from %[[XB]], %[[YB]] to %[[XE]], %[[YE]] : !tile.ptr<f32>
  %q = arith.select %which, %x, %y : !tile.ptr<f32>
  %one = arith.constant 1.0 : f32
  tile.store %q, %one : !tile.ptr<f32>, f32
  // An address from elsewhere may lie anywhere.
  // CHECK-NOT: gpu.check
  %i = arith.constant 4096 : i64
  %far = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  tile.store %far, %one : !tile.ptr<f32>, f32
  return
}
