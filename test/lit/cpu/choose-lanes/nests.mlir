// The dimension of the lanes, how many there are, and how many vectors a step takes.
// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-choose-lanes %s | FileCheck %s
// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-choose-lanes=vector-bytes=32 %s | FileCheck %s --check-prefix=NARROW
// Without the pass a nest runs element by element.
// RUN: %tilewise-opt --split-input-file --cpu-form-nests --cpu-plan-dots --cpu-emit-nests %s | FileCheck %s --check-prefix=SCALAR --implicit-check-not="vector<"
// SCALAR: scf.for

// Where elements are neighbours; 16 f32 fill a register of 64 bytes, 8 one of 32.
// CHECK-LABEL: func.func @rows(
// CHECK: cpu.nest over [32, 64] lanes 16 along 1 {
// NARROW: cpu.nest over [32, 64] lanes 8 along 1 {
func.func @rows(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %c = tile.range 0 to 64 : tensor<64xi32>
  %y = tile.expand_dims %r at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %x = tile.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %width = arith.constant dense<64> : tensor<32x1xi32>
  %start = arith.muli %y, %width : tensor<32x1xi32>
  %ys = tile.broadcast %start : tensor<32x1xi32> -> tensor<32x64xi32>
  %xs = tile.broadcast %x : tensor<1x64xi32> -> tensor<32x64xi32>
  %at = arith.addi %ys, %xs : tensor<32x64xi32>
  %ins = tile.splat %in : tensor<32x64x!tile.ptr<f32>>
  %outs = tile.splat %out : tensor<32x64x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %at : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %q = tile.ptr_add %outs, %at : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %v = tile.load %p : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
  tile.store %q, %v : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>
  return
}

// -----

// The same down the columns, since that is where neighbours lie here.
// CHECK-LABEL: func.func @columns(
// CHECK: cpu.nest over [32, 64] lanes 16 along 0 {
func.func @columns(%out: !tile.ptr<f32>, %v: f32) attributes {tile.kernel} {
  %r = tile.range 0 to 32 : tensor<32xi32>
  %c = tile.range 0 to 64 : tensor<64xi32>
  %y = tile.expand_dims %r at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %x = tile.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %height = arith.constant dense<32> : tensor<1x64xi32>
  %start = arith.muli %x, %height : tensor<1x64xi32>
  %ys = tile.broadcast %y : tensor<32x1xi32> -> tensor<32x64xi32>
  %xs = tile.broadcast %start : tensor<1x64xi32> -> tensor<32x64xi32>
  %at = arith.addi %ys, %xs : tensor<32x64xi32>
  %outs = tile.splat %out : tensor<32x64x!tile.ptr<f32>>
  %q = tile.ptr_add %outs, %at : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %vs = tile.splat %v : tensor<32x64xf32>
  tile.store %q, %vs : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>
  return
}

// -----

// A sum has four accumulators, and no more than the row has vectors: two of 32.
// CHECK-LABEL: func.func @sums(
// CHECK: cpu.nest over [1024] lanes 16 along 0 copies 4 {
// CHECK: cpu.nest over [32] lanes 16 along 0 copies 2 {
// The one element is no vector.
// CHECK: cpu.nest over [1] {
func.func @sums(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %s = tile.range 0 to 32 : tensor<32xi32>
  %ins = tile.splat %in : tensor<1024x!tile.ptr<f32>>
  %few = tile.splat %in : tensor<32x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %q = tile.ptr_add %few, %s : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %x = tile.load %p : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %y = tile.load %q : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %sum = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %less = tile.reduce(%y) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<32xf32>) -> f32
  %both = arith.addf %sum, %less : f32
  %one = tile.splat %both : tensor<1xf32>
  %o = tile.splat %out : tensor<1x!tile.ptr<f32>>
  tile.store %o, %one : tensor<1x!tile.ptr<f32>>, tensor<1xf32>
  return
}

// -----

// A pointer for each row has 64 bits, but along the columns it is one scalar: vectors there are full of f32.
// CHECK-LABEL: func.func @row_pointers(
// CHECK: cpu.nest over [4, 64] lanes 16 along 1
func.func @row_pointers(%bias: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 4 : tensor<4xi32>
  %c = tile.range 0 to 64 : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<4xi32>
  %which = tile.div_s %r, %three : tensor<4xi32>
  %bs = tile.splat %bias : tensor<4x!tile.ptr<f32>>
  %p = tile.ptr_add %bs, %which : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  %x = tile.load %p : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %column = tile.expand_dims %x at 1 : tensor<4xf32> -> tensor<4x1xf32>
  %wide = tile.broadcast %column : tensor<4x1xf32> -> tensor<4x64xf32>
  %width = arith.constant dense<64> : tensor<4xi32>
  %starts = arith.muli %r, %width : tensor<4xi32>
  %startColumn = tile.expand_dims %starts at 1 : tensor<4xi32> -> tensor<4x1xi32>
  %startRows = tile.broadcast %startColumn : tensor<4x1xi32> -> tensor<4x64xi32>
  %line = tile.expand_dims %c at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %line : tensor<1x64xi32> -> tensor<4x64xi32>
  %at = arith.addi %startRows, %columns : tensor<4x64xi32>
  %outs = tile.splat %out : tensor<4x64x!tile.ptr<f32>>
  %q = tile.ptr_add %outs, %at : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xi32>
  tile.store %q, %wide : tensor<4x64x!tile.ptr<f32>>, tensor<4x64xf32>
  return
}

// -----

// What counts is the work of the main loop: masks are true there, and constants, ranges and splats are made before it. An exponential is
// enough beside one addition.
// CHECK-LABEL: func.func @work(
// CHECK: cpu.nest over [1024] lanes 16 along 0 copies 4 {
// CHECK: cpu.nest over [1024] lanes 16 along 0 copies 2 {
// CHECK: cpu.nest over [1024] lanes 16 along 0 {
func.func @work(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32, %least: f32) attributes {tile.kernel} {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %zeros = arith.constant dense<0.0> : tensor<1024xf32>
  %leasts = tile.splat %least : tensor<1024xf32>
  %ins = tile.splat %in : tensor<1024x!tile.ptr<f32>>
  %p = tile.ptr_add %ins, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %p mask %mask : tensor<1024xi1> other %zeros : tensor<1024xf32> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %kept = arith.select %mask, %x, %zeros : tensor<1024xi1>, tensor<1024xf32>
  %sum = tile.reduce(%kept) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %sums = tile.splat %sum : tensor<1024xf32>
  %apart = arith.subf %x, %sums : tensor<1024xf32>
  %more = arith.addf %apart, %leasts : tensor<1024xf32>
  %square = arith.mulf %more, %more : tensor<1024xf32>
  %fourth = arith.mulf %square, %square : tensor<1024xf32>
  %spread = tile.reduce(%fourth) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %spreads = tile.splat %spread : tensor<1024xf32>
  %scaled = arith.subf %x, %spreads : tensor<1024xf32>
  %power = math.exp %scaled : tensor<1024xf32>
  %total = tile.reduce(%power) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %one = tile.splat %total : tensor<1xf32>
  %o = tile.splat %out : tensor<1x!tile.ptr<f32>>
  tile.store %o, %one : tensor<1x!tile.ptr<f32>>, tensor<1xf32>
  return
}
