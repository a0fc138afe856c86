// RUN: tilewise-opt %s --cpu-split-runs --cse --split-input-file | FileCheck %s

// Over runs of 64 elements the quotient stays, which is one load to a run, and the remainder counts.
// CHECK-LABEL: func.func @rows
func.func @rows(%out: !tile.ptr<f32>, %w: !tile.ptr<f32>, %b: !tile.ptr<f32>) attributes {tile.kernel} {
  // CHECK: %[[COUNT:.*]] = tile.broadcast %{{.*}} : tensor<1x64xi32> -> tensor<4x64xi32>
  // CHECK: %[[STEPS:.*]] = arith.muli %{{.*}} : tensor<4xi32>
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[STEPS]] : tensor<4xi32>
  %size = arith.constant 256 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %size : i32
  %firsts = tile.splat %first : tensor<256xi32>
  %r = tile.range 0 to 256 : tensor<256xi32>
  %x = arith.addi %firsts, %r : tensor<256xi32>
  %c = arith.constant dense<64> : tensor<256xi32>
  // CHECK: %[[QUOTIENT:.*]] = tile.div_s %[[ROW]], %{{.*}} : tensor<4xi32>
  %q = tile.div_s %x, %c : tensor<256xi32>
  // CHECK: %[[REST:.*]] = tile.rem_s %[[ROW]], %{{.*}} : tensor<4xi32>
  // CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[COUNT]] : tensor<4x64xi32>
  %m = tile.rem_s %x, %c : tensor<256xi32>
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}} : tensor<4xi32>
  %n = arith.constant dense<1024> : tensor<256xi32>
  %inside = arith.cmpi slt, %x, %n : tensor<256xi32>
  %bs = tile.splat %b : tensor<256x!tile.ptr<f32>>
  // CHECK: %[[AT:.*]] = tile.ptr_add %{{.*}}, %[[QUOTIENT]] : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %bp = tile.ptr_add %bs, %q : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  // CHECK: %[[BIAS:.*]] = tile.load %[[AT]] mask %[[INSIDE]] : tensor<4xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %bv = tile.load %bp mask %inside : tensor<256xi1> : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %ws = tile.splat %w : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.ptr_add %{{.*}}, %[[COLUMN]] : tensor<4x64x!tile.ptr<f32>>
  %wp = tile.ptr_add %ws, %m : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  // CHECK: %[[W:.*]] = tile.load {{.*}} -> tensor<4x64xf32>
  %wv = tile.load %wp mask %inside : tensor<256xi1> : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  // CHECK: arith.addf %[[W]], %{{.*}} : tensor<4x64xf32>
  %sum = arith.addf %wv, %bv : tensor<256xf32>
  %os = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %op = tile.ptr_add %os, %x : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  // CHECK: tile.store {{.*}} : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xf32>
  tile.store %op, %sum mask %inside : tensor<256xi1> : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// -----

// Runs of 8 elements are shorter than a vector; a reduction is no op of single elements.
// CHECK-LABEL: func.func @short
// CHECK-NOT: tensor<{{.*}}x{{[0-9]+}}x
func.func @short(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.range 0 to 256 : tensor<256xi32>
  %c = arith.constant dense<24> : tensor<256xi32>
  %q = tile.div_s %x, %c : tensor<256xi32>
  %os = tile.splat %out : tensor<256x!tile.ptr<i32>>
  %op = tile.ptr_add %os, %x : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.store %op, %q : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  return
}

// -----

// CHECK-LABEL: func.func @reduced
// CHECK-NOT: tensor<4x64
func.func @reduced(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.range 0 to 256 : tensor<256xi32>
  %c = arith.constant dense<64> : tensor<256xi32>
  %q = tile.div_s %x, %c : tensor<256xi32>
  %s = tile.reduce(%q) along 0 {
  ^bb0(%a: i32, %b: i32):
    %sum = arith.addi %a, %b : i32
    tile.yield %sum : i32
  } : (tensor<256xi32>) -> i32
  tile.store %out, %s : !tile.ptr<i32>, i32
  return
}
