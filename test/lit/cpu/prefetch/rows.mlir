// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-prefetch %s | FileCheck %s

// The last nest that loads the row asks for the next program's beside it, for the second-level cache, since two nests use it. The nest before asks for
// the first part of what the next program stores, the nest that stores for the rest. The pointers are computed where the nest begins.
// CHECK-LABEL: func.func @center(
// CHECK: cpu.nest over [4096] {
// CHECK: tile.reduce
// CHECK: cpu.prefetch first %{{.*}} stored once
// CHECK-NOT: cpu.prefetch
// CHECK: cpu.yield
// CHECK: cpu.nest over [4096] {
// CHECK-NEXT: tile.load %[[IN:.*]] :
// CHECK: tile.store
// CHECK-DAG: cpu.prefetch beside %[[IN]] : tensor<4096x!tile.ptr<f32>>
// CHECK-DAG: cpu.prefetch last %{{.*}} stored once
func.func @center(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %stride: i32) attributes {tile.kernel} {
  %id = tile.program_id 0
  %row = arith.muli %id, %stride : i32
  %r = tile.range 0 to 4096 : tensor<4096xi32>
  %from = tile.ptr_add %in, %row : !tile.ptr<f32>, i32
  %froms = tile.splat %from : tensor<4096x!tile.ptr<f32>>
  %p = tile.ptr_add %froms, %r : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %p : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  %top = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<4096xf32>) -> f32
  %tops = tile.splat %top : tensor<4096xf32>
  %y = arith.subf %x, %tops : tensor<4096xf32>
  %to = tile.ptr_add %out, %row : !tile.ptr<f32>, i32
  %tos = tile.splat %to : tensor<4096x!tile.ptr<f32>>
  %q = tile.ptr_add %tos, %r : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %q, %y : tensor<4096x!tile.ptr<f32>>, tensor<4096xf32>
  return
}

// -----

// A program with a loop of its own is left alone: the next one is far away.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: cpu.prefetch
func.func @loop(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %rounds: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %id = tile.program_id 0
  %row = arith.muli %id, %c64 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.ptr_add %in, %row : !tile.ptr<f32>, i32
  %froms = tile.splat %from : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %froms, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %to = tile.ptr_add %out, %row : !tile.ptr<f32>, i32
  %tos = tile.splat %to : tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %tos, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  scf.for %i = %c0 to %rounds step %c1 : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    tile.store %q, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  return
}
