// RUN: %tilewise-opt --tile-to-cpu-nests %s | FileCheck %s

// x % 64 + 256 * (x // 64), in a loop that goes on by 256: no box, but vectors of 16 lie in runs of
// 64. The first address of each is computed, and the rest is neighbours.
// CHECK-LABEL: func.func @sums
// CHECK-NOT: masked.gather
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.remsi %{{.*}} : i32
// CHECK: arith.divsi %{{.*}} : i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK-NOT: masked.gather
func.func @sums(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %c4096 = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %r = tile.range 0 to 256 : tensor<256xi32>
  %run = arith.constant dense<64> : tensor<256xi32>
  %apart = arith.constant dense<256> : tensor<256xi32>
  %ins = tile.splat %in : tensor<256x!tile.ptr<f32>>
  %sum = scf.for %at = %c0 to %c4096 step %c256 iter_args(%acc = %zero) -> tensor<256xf32> : i32 {
    %ats = tile.splat %at : tensor<256xi32>
    %x = arith.addi %ats, %r : tensor<256xi32>
    %rest = tile.rem_s %x, %run : tensor<256xi32>
    %quotient = tile.div_s %x, %run : tensor<256xi32>
    %row = arith.muli %quotient, %apart : tensor<256xi32>
    %offset = arith.addi %rest, %row : tensor<256xi32>
    %p = tile.ptr_add %ins, %offset : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    %value = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
    %next = arith.addf %acc, %value : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  %outs = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %q = tile.ptr_add %outs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %q, %sum : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
