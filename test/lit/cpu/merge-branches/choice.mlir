// RUN: %tilewise-opt --split-input-file --cpu-merge-branches %s | FileCheck %s

// A step of Welford's rule: both sides cost less than keeping three blocks.
// CHECK-LABEL: func.func @welford(
// CHECK-NOT: scf.if
// CHECK: arith.divf
// CHECK: %[[MEAN:.*]] = arith.addf
// CHECK: arith.select %[[FIRST:.*]], %[[X:.*]], %[[MEAN]] : tensor<64xf32>
// CHECK: arith.select %[[FIRST]], %{{.*}}, %{{.*}} : tensor<64xf32>
func.func @welford(%first: i1, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %old = tile.load %ps : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %count = tile.load %ps : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %mean, %weight = scf.if %first -> (tensor<64xf32>, tensor<64xf32>) {
    scf.yield %x, %one : tensor<64xf32>, tensor<64xf32>
  } else {
    %n = arith.addf %count, %one : tensor<64xf32>
    %d = arith.subf %x, %old : tensor<64xf32>
    %q = arith.divf %d, %n : tensor<64xf32>
    %m = arith.addf %old, %q : tensor<64xf32>
    scf.yield %m, %n : tensor<64xf32>, tensor<64xf32>
  }
  tile.store %ps, %mean : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.store %ps, %weight : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// An exponential for nothing would cost more than the block does in scratch.
// CHECK-LABEL: func.func @dear(
// CHECK: scf.if
// CHECK-NOT: arith.select
func.func @dear(%first: i1, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = scf.if %first -> tensor<64xf32> {
    scf.yield %x : tensor<64xf32>
  } else {
    %e = math.exp %x : tensor<64xf32>
    scf.yield %e : tensor<64xf32>
  }
  tile.store %ps, %y : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// What is loaded on one side may not be there to be loaded on the other.
// CHECK-LABEL: func.func @loaded(
// CHECK: scf.if
// CHECK: tile.load
func.func @loaded(%first: i1, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %ps = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %qs = tile.splat %q : tensor<64x!tile.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %y = scf.if %first -> tensor<64xf32> {
    %x = tile.load %qs : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    scf.yield %x : tensor<64xf32>
  } else {
    scf.yield %zero : tensor<64xf32>
  }
  tile.store %ps, %y : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
