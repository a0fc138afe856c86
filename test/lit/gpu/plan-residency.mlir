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
// CHECK-NOT: gpu.min_programs
func.func @many(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 16384 : tensor<16384xi32>
  %s = tile.splat %p : tensor<16384x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %r : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %x = tile.load %q : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
  tile.store %q, %x : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  return
}
