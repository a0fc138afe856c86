// RUN: not %tilewise-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: error: basis 64 is outside a block of 64 elements
func.func private @outside(tensor<64xi32, #gpu.layout<[64], register = [64], lane = [1, 2, 4, 8, 16]>>)

// -----

// CHECK: error: a layout must give every element a place
func.func private @homeless(tensor<64xi32, #gpu.layout<[64], lane = [1, 2, 4, 8, 16]>>)

// -----

// CHECK: error: a layout needs extents that are powers of two, got 48
func.func private @odd(tensor<48xi32, #gpu.layout<[48], lane = [1, 2, 4, 8, 16]>>)

// -----

// CHECK: error: the layout is of another shape than its block
func.func private @shape(tensor<32xi32, #gpu.layout<[4, 8], lane = [1, 2, 4, 8, 16]>>)
