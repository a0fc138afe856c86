// RUN: %tilewise-opt %s --split-input-file --gpu-assign-layouts=num-warps=8 --gpu-plan-residency | FileCheck %s

// Eight words of a block in each of 256 threads: four programs on a multiprocessor.
// CHECK: module attributes {{.*}}gpu.min_programs = 4
func.func @few(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 2048 : tensor<2048xi32>
  %s = tile.splat %p : tensor<2048x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %r : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  %x = tile.load %q : tensor<2048x!tile.ptr<f32>> -> tensor<2048xf32>
  tile.store %q, %x : tensor<2048x!tile.ptr<f32>>, tensor<2048xf32>
  return
}

// -----

// Sixty-four words: the registers are needed.
// CHECK: module attributes {
// CHECK-NOT: gpu.min_programs
// CHECK-SAME: } {
func.func @many(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 16384 : tensor<16384xi32>
  %s = tile.splat %p : tensor<16384x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %r : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %x = tile.load %q : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
  tile.store %q, %x : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  return
}

// -----

// Three blocks of sixteen words at one time are too many to be kept within 64 registers, too.
// CHECK: module attributes {
// CHECK-NOT: gpu.min_programs
// CHECK-SAME: } {
func.func @several(%p: !tile.ptr<f32>, %a: i32, %b: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 4096 : tensor<4096xi32>
  %s = tile.splat %p : tensor<4096x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %r : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %as = tile.splat %a : tensor<4096xi32>
  %q1 = tile.ptr_add %q, %as : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %bs = tile.splat %b : tensor<4096xi32>
  %q2 = tile.ptr_add %q, %bs : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %q : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  %y = tile.load %q1 : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  %z = tile.load %q2 : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  tile.store %q1, %x : tensor<4096x!tile.ptr<f32>>, tensor<4096xf32>
  tile.store %q2, %y : tensor<4096x!tile.ptr<f32>>, tensor<4096xf32>
  tile.store %q, %z : tensor<4096x!tile.ptr<f32>>, tensor<4096xf32>
  return
}

// -----

// 256 words cannot all be in registers: as many as possible shall be.
// CHECK: module attributes {{.*}}gpu.min_programs = 1
func.func @most(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 65536 : tensor<65536xi32>
  %s = tile.splat %p : tensor<65536x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %r : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %q : tensor<65536x!tile.ptr<f32>> -> tensor<65536xf32>
  tile.store %q, %x : tensor<65536x!tile.ptr<f32>>, tensor<65536xf32>
  return
}
