// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-weigh-updates %s | FileCheck %s

// A kernel that loads and adds, and nothing else: one thread does it faster than thirteen that lock.
// CHECK: module attributes {tile.alone_threads = 13 : i64}
// CHECK-LABEL: func.func @added(
func.func @added(%sums: !tile.ptr<f32>, %x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %from = tile.ptr_add %xs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %all = tile.splat %sums : tensor<256x!tile.ptr<f32>>
  %to = tile.ptr_add %all, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %old = tile.atomic_rmw fadd %to, %v : tensor<256x!tile.ptr<f32>>, tensor<256xf32> -> tensor<256xf32>
  return
}

// -----

// One addition for many exponentials: all threads compute.
// CHECK-NOT: alone_threads
// CHECK-LABEL: func.func @counted(
func.func @counted(%sum: !tile.ptr<f32>, %x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %from = tile.ptr_add %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %from : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %e = math.exp %v : tensor<1024xf32>
  tile.store %from, %e : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  %c1 = arith.constant 1.0 : f32
  %old = tile.atomic_rmw fadd %sum, %c1 : !tile.ptr<f32>, f32 -> f32
  return
}

// -----

// Nobody knows how long the loop is that comes before the addition.
// CHECK-NOT: alone_threads
// CHECK-LABEL: func.func @looped(
func.func @looped(%sums: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %r = tile.range 0 to 256 : tensor<256xi32>
  %all = tile.splat %sums : tensor<256x!tile.ptr<f32>>
  %to = tile.ptr_add %all, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<256xf32>) : i32 {
    %e = math.exp %a : tensor<256xf32>
    scf.yield %e : tensor<256xf32>
  }
  %old = tile.atomic_rmw fadd %to, %v : tensor<256x!tile.ptr<f32>>, tensor<256xf32> -> tensor<256xf32>
  return
}

// -----

// What only a failed assertion runs does not count.
// CHECK: module attributes {tile.alone_threads = 13 : i64}
// CHECK-LABEL: func.func @asserted(
func.func @asserted(%sums: !tile.ptr<f32>, %x: !tile.ptr<f32>, %fails: i1) attributes {tile.kernel} {
  %r = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %from = tile.ptr_add %xs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %from : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  scf.if %fails {
    %e = math.exp %v : tensor<256xf32>
    %isLess = arith.cmpf olt, %e, %v : tensor<256xf32>
    tile.assert %isLess, "less" : tensor<256xi1>
  }
  %all = tile.splat %sums : tensor<256x!tile.ptr<f32>>
  %to = tile.ptr_add %all, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %old = tile.atomic_rmw fadd %to, %v : tensor<256x!tile.ptr<f32>>, tensor<256xf32> -> tensor<256xf32>
  return
}
