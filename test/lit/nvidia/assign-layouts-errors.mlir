// RUN: not %tilewise-opt %s --split-input-file --nv-assign-layouts 2>&1 | FileCheck %s

// CHECK: error: the nvidia engine needs extents that are powers of two, got a block of extent 48
func.func @odd() attributes {tile.kernel} {
  %x = tile.range 0 to 48 : tensor<48xi32>
  return
}

// -----

// CHECK: error: a block of 2097152 elements is too large: the nvidia engine takes at most 1048576
func.func @large() attributes {tile.kernel} {
  %x = tile.range 0 to 2097152 : tensor<2097152xi32>
  return
}

// -----

// CHECK: error: has no tile.kernel
func.func @none() {
  return
}

// -----

// CHECK: error: 'tile.dot' op of batches is not supported by the NVIDIA engine
func.func @batches() attributes {tile.kernel} {
  %a = arith.constant dense<1.0> : tensor<2x16x16xf32>
  %c = tile.dot %a, %a, %a : tensor<2x16x16xf32>, tensor<2x16x16xf32> -> tensor<2x16x16xf32>
  return
}

// -----

// CHECK: error: 'tile.dot' op of two formats is not supported by the NVIDIA engine
func.func @formats() attributes {tile.kernel} {
  %a = arith.constant dense<1.0> : tensor<16x16xf8E5M2>
  %b = arith.constant dense<1.0> : tensor<16x16xf8E4M3FN>
  %c = arith.constant dense<1.0> : tensor<16x16xf32>
  %d = tile.dot %a, %b, %c : tensor<16x16xf8E5M2>, tensor<16x16xf8E4M3FN> -> tensor<16x16xf32>
  return
}
