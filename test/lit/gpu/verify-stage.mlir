// RUN: not %tilewise-opt %s --split-input-file --gpu-verify-stage 2>&1 | FileCheck %s

// CHECK: error: internal error: at the end of the GPU stage tile.range has a block without a layout
func.func @bare() attributes {tile.kernel} {
  %x = tile.range 0 to 64 : tensor<64xi32>
  return
}

// -----

#a = #gpu.layout<[64], register = [1], lane = [2, 4, 8, 16, 32]>
#b = #gpu.layout<[64], register = [32], lane = [1, 2, 4, 8, 16]>
// CHECK: error: internal error: at the end of the GPU stage tile.ptr_add mixes layouts
func.func @mixed(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>, #a>
  %x = tile.range 0 to 64 : tensor<64xi32, #b>
  %y = tile.ptr_add %ps, %x : tensor<64x!tile.ptr<f32>, #a>, tensor<64xi32, #b>
  return
}

// -----

#a = #gpu.layout<[4, 8], lane = [1, 2, 4, 8, 16]>
#b = #gpu.layout<[4, 1], lane = [1, 2, 0, 0, 0]>
// CHECK: error: internal error: at the end of the GPU stage tile.broadcast would move elements between threads
func.func @moved() attributes {tile.kernel} {
  %x = arith.constant dense<1> : tensor<4x1xi32, #b>
  %y = tile.broadcast %x : tensor<4x1xi32, #b> -> tensor<4x8xi32, #a>
  return
}

// -----

#a = #gpu.layout<[64], lane = [1, 2, 4, 8, 16], warp = [32]>
#b = #gpu.layout<[64], lane = [2, 4, 8, 16, 32], warp = [1]>
// CHECK: error: internal error: at the end of the GPU stage gpu.convert_layout has no place in shared memory
func.func @placeless() attributes {tile.kernel} {
  %x = tile.range 0 to 64 : tensor<64xi32, #a>
  %y = gpu.convert_layout %x : tensor<64xi32, #a> -> tensor<64xi32, #b>
  return
}
