// RUN: not %tilewise-opt %s --split-input-file --gpu-assign-layouts 2>&1 | FileCheck %s

// CHECK: error: a GPU engine needs extents that are powers of two, got a block of extent 48
func.func @odd() attributes {tile.kernel} {
  %x = tile.range 0 to 48 : tensor<48xi32>
  return
}

// -----

// CHECK: error: a block of 2097152 elements is too large: a GPU engine takes at most 1048576
func.func @large() attributes {tile.kernel} {
  %x = tile.range 0 to 2097152 : tensor<2097152xi32>
  return
}

// -----

// CHECK: error: has no tile.kernel
func.func @none() {
  return
}
