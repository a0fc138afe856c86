// RUN: %tilewise-opt %s --split-input-file --gpu-assign-layouts --gpu-allocate-shared --gpu-insert-barriers | FileCheck %s

// One dot in a loop: the next iteration must not overwrite operands that some thread still reads.
// CHECK-LABEL: func.func @loop
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: tile.dot {{.*}}gpu.shared = 0
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @loop(%n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = arith.constant dense<1.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %a) -> (tensor<16x16xf32>) : i32 {
    %next = tile.dot %a, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %ps = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  tile.store %ps, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// -----

// A neighbour's element is read after it was written: only with a barrier between is it the new one. The first store and the load of
// another argument need none.
// CHECK-LABEL: func.func @neighbours
// CHECK: tile.store
// CHECK-NOT: gpu.barrier
// CHECK: tile.load
// CHECK: gpu.barrier
// CHECK-NEXT: tile.load
// CHECK: return
func.func @neighbours(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %at = tile.range 0 to 128 : tensor<128xi32>
  %next = tile.range 1 to 129 : tensor<128xi32>
  %ps = tile.splat %p : tensor<128x!tile.ptr<i32>>
  %qs = tile.splat %q : tensor<128x!tile.ptr<i32>>
  %here = tile.ptr_add %ps, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %there = tile.ptr_add %ps, %next : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %other = tile.ptr_add %qs, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %here, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %y = tile.load %other : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %x = tile.load %there : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %s = arith.addi %x, %y : tensor<128xi32>
  tile.store %other, %s : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}
