// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-guard-aliases %s | FileCheck %s

// Whether the tensors overlap is known at run time only: the load is tested. Through one pointer at the same indices nothing can go wrong.
// CHECK-LABEL: func.func @add(
// CHECK: cpu.nest over [64] {
// CHECK: tile.load %[[IN:.*]] {cpu.tested}
// CHECK: tile.load %[[OUT:.*]] :
// CHECK: tile.store %[[OUT]]
func.func @add(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %sum = arith.addf %x, %y : tensor<64xf32>
  tile.store %q, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Addresses that were loaded are no box that could be tested.
// CHECK-LABEL: func.func @chosen(
// CHECK: cpu.nest over [64] {
// CHECK: tile.load %{{.*}} {cpu.tested} : tensor<64x!tile.ptr<i32>>
// CHECK: tile.load %{{.*}} {cpu.copied} : tensor<64x!tile.ptr<f32>>
func.func @chosen(%which: !tile.ptr<i32>, %in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ws = tile.splat %which : tensor<64x!tile.ptr<i32>>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %w = tile.ptr_add %ws, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %q = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %at = tile.load %w : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %p = tile.ptr_add %ins, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.store %q, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Two tensors are stored to: the later store must win where they overlap.
// CHECK-LABEL: func.func @both(
// CHECK: cpu.nest over [64] guard unless_overlapping {
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<f32>>
func.func @both(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %other: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %others = tile.splat %other : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %s = tile.ptr_add %others, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = arith.negf %x : tensor<64xf32>
  tile.store %q, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.store %s, %y : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Rows whose numbers were loaded are a box each: the nest asks before it starts.
// CHECK-LABEL: func.func @rows(
// CHECK: cpu.nest over [4, 64]{{.*}} guard  unless_overlapping
// CHECK-NOT: cpu.copied
func.func @rows(%which: !tile.ptr<i32>, %in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 4 : tensor<4xi32>
  %c = tile.range 0 to 64 : tensor<64xi32>
  %line = tile.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %line : tensor<1x64xi32> -> tensor<4x64xi32>
  %ws = tile.splat %which : tensor<4x!tile.ptr<i32>>
  %w = tile.ptr_add %ws, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %width = arith.constant dense<64> : tensor<4xi32>
  %at = tile.load %w : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %from = arith.muli %at, %width : tensor<4xi32>
  %to = arith.muli %r, %width : tensor<4xi32>
  %fromColumn = tile.expand_dims %from at 1 : tensor<4xi32> -> tensor<4x1xi32>
  %toColumn = tile.expand_dims %to at 1 : tensor<4xi32> -> tensor<4x1xi32>
  %fromRows = tile.broadcast %fromColumn : tensor<4x1xi32> -> tensor<4x64xi32>
  %toRows = tile.broadcast %toColumn : tensor<4x1xi32> -> tensor<4x64xi32>
  %fromAll = arith.addi %fromRows, %columns : tensor<4x64xi32>
  %toAll = arith.addi %toRows, %columns : tensor<4x64xi32>
  %ins = tile.splat %in : tensor<4x64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<4x64x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %fromAll : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xi32>
  %q = tile.ptr_add %outs, %toAll : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xi32>
  %x = tile.load %p : tensor<4x64x!tile.ptr<f32>> -> tensor<4x64xf32>
  tile.store %q, %x : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xf32>
  return
}

// -----

// Clamped offsets are no box, but rise along the row: the nest asks for their least and greatest address.
// CHECK-LABEL: func.func @clamped(
// CHECK: cpu.nest over [64]{{.*}} guard{{ +}}unless_overlapping
// CHECK-NOT: cpu.copied
func.func @clamped(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %last: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %lasts = tile.splat %last : tensor<64xi32>
  %at = arith.minsi %r, %lasts : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.store %q, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// A sum of two blocks along one dimension may rise here and fall there.
// CHECK-LABEL: func.func @folded(
// CHECK: cpu.nest over [64] {
// CHECK: tile.load %{{.*}} {cpu.copied}
func.func @folded(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %last: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %lasts = tile.splat %last : tensor<64xi32>
  %held = arith.minsi %r, %lasts : tensor<64xi32>
  %twice = arith.addi %held, %held : tensor<64xi32>
  %at = arith.subi %twice, %r : tensor<64xi32>
  %ins = tile.splat %in : tensor<64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.store %q, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
