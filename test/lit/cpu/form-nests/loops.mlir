// RUN: %tilewise-opt --split-input-file --cpu-form-nests %s | FileCheck %s

// A dot that replaces the block it adds to works in the loop's scratch; pointers that move as a whole stay what the loop carries.
// CHECK-LABEL: func.func @accumulate(
// CHECK: %[[ACC:.*]] = cpu.scratch : <tensor<16x16xf32>>
// CHECK: cpu.nest over [16, 16] {
// CHECK: cpu.keep %{{.*}} into %[[ACC]]
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (tensor<16x16x!tile.ptr<f32>>)
// CHECK: %[[A:.*]] = tile.load %[[P]]
// CHECK: %[[OLD:.*]] = cpu.read %[[ACC]]
// CHECK: %[[SUM:.*]] = tile.dot %[[A]], %{{.*}}, %[[OLD]]
// CHECK-NEXT: cpu.keep %[[SUM]] into %[[ACC]]
// CHECK-NOT: cpu.nest
// CHECK: scf.yield %{{.*}} : tensor<16x16x!tile.ptr<f32>>
// CHECK: cpu.nest over [16, 16] {
// CHECK-NEXT: cpu.read %[[ACC]]
// CHECK-NEXT: tile.store
func.func @accumulate(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %rounds: i32, %stride: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %r at 1 : tensor<16xi32> -> tensor<16x1xi32>
  %column = tile.expand_dims %r at 0 : tensor<16xi32> -> tensor<1x16xi32>
  %strides = tile.splat %stride : tensor<16x1xi32>
  %rows = arith.muli %row, %strides : tensor<16x1xi32>
  %rowsb = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %columnsb = tile.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %rowsb, %columnsb : tensor<16x16xi32>
  %ins = tile.splat %in : tensor<16x16x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<16x16x!tile.ptr<f32>>
  %first = tile.ptr_add %ins, %at : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %last = tile.ptr_add %outs, %at : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %step = tile.splat %stride : tensor<16x16xi32>
  %sum:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%acc = %zeros, %p = %first) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>) : i32 {
    %a = tile.load %p : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %next = tile.dot %a, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %moved = tile.ptr_add %p, %step : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    scf.yield %next, %moved : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>
  }
  tile.store %last, %sum#0 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// -----

// Two blocks that are computed from each other. The first is read only where it is written; the second is read at other indices by the gather, so the
// new one waits aside until the nest is over.
// CHECK-LABEL: func.func @swap(
// CHECK: cpu.keep %{{.*}} into %[[A:.*]] : tensor<64xf32>
// CHECK: cpu.keep %{{.*}} into %[[B:.*]] : tensor<64xf32>
// CHECK: scf.for
// CHECK: %[[ASIDE:.*]] = cpu.scratch
// CHECK: cpu.nest over [64] {
// CHECK: tile.reduce
// CHECK: %[[OLD:.*]] = cpu.read %[[A]]
// CHECK-NEXT: tile.reshape %[[OLD]]
// CHECK: cpu.nest over [64] {
// CHECK: tile.gather
// CHECK: cpu.read %[[A]]
// CHECK: cpu.keep %{{.*}} into %[[A]]
// CHECK-NEXT: cpu.keep %{{.*}} into %[[ASIDE]]
// CHECK: cpu.nest over [64] {
// CHECK-NEXT: %[[NEW:.*]] = cpu.read %[[ASIDE]]
// CHECK-NEXT: cpu.keep %[[NEW]] into %[[B]]
func.func @swap(%out: !tile.ptr<f32>, %rounds: i32, %x: f32, %y: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %xs = tile.splat %x : tensor<64xf32>
  %ys = tile.splat %y : tensor<64xf32>
  %both:2 = scf.for %i = %c0 to %rounds step %c1 iter_args(%a = %xs, %b = %ys) -> (tensor<64xf32>, tensor<64xf32>) : i32 {
    %s = arith.addf %a, %b : tensor<64xf32>
    %d = arith.subf %a, %b : tensor<64xf32>
    %n = tile.reduce(%s) along 0 {
    ^bb0(%u: f32, %v: f32):
      %m = arith.maxnumf %u, %v : f32
      tile.yield %m : f32
    } : (tensor<64xf32>) -> f32
    %ns = tile.splat %n : tensor<64xf32>
    %dn = arith.mulf %d, %ns : tensor<64xf32>
    %flipped = tile.reshape %a : tensor<64xf32> -> tensor<8x8xf32>
    %turned = tile.permute %flipped by [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
    %back = tile.reshape %turned : tensor<8x8xf32> -> tensor<64xf32>
    %e = arith.addf %back, %dn : tensor<64xf32>
    %w = tile.range 0 to 64 : tensor<64xi32>
    %g = tile.gather %b[%w] along 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
    %f = arith.addf %g, %b : tensor<64xf32>
    scf.yield %f, %e : tensor<64xf32>, tensor<64xf32>
  }
  %r = tile.range 0 to 64 : tensor<64xi32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %sum = arith.addf %both#0, %both#1 : tensor<64xf32>
  tile.store %p, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
