// Blocks that while loops carry and branches choose, as access inference sees them.
// RUN: %tilewise-opt --tile-infer-access --split-input-file %s | FileCheck %s

// Carried around, passed on by the test, and read behind the loop: each stands for its first element.
// CHECK-LABEL: func.func @while_pointers
// CHECK: %[[LOOP:.*]]:2 = scf.while (%[[P:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: ^bb0(%[[Q:.*]]: tensor<16x!tile.ptr<f32>>, %[[LEFT:.*]]: i32):
// CHECK: tile.load {{.*}}base %[[Q]] strides [1] bounds [i0 < %[[LEFT]]] contiguous 16 along 0 align 16 vector 1 structured
// CHECK: tile.load {{.*}}base %[[LOOP]]#0 strides [1] contiguous 16 along 0 align 16 vector 4 structured
func.func @while_pointers(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %i = tile.range 0 to 16 : tensor<16xi32>
  %step = arith.constant dense<16> : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %start = tile.ptr_add %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %end:2 = scf.while (%p = %start, %left = %n) : (tensor<16x!tile.ptr<f32>>, i32) -> (tensor<16x!tile.ptr<f32>>, i32) {
    %more = arith.cmpi sgt, %left, %c0 : i32
    scf.condition(%more) %p, %left : tensor<16x!tile.ptr<f32>>, i32
  } do {
  ^bb0(%q: tensor<16x!tile.ptr<f32>>, %now: i32):
    %lefts = tile.splat %now : tensor<16xi32>
    %in = arith.cmpi slt, %i, %lefts : tensor<16xi32>
    %v = tile.load %q mask %in : tensor<16xi1> : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %next = tile.ptr_add %q, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %less = arith.subi %now, %c16 : i32
    scf.yield %next, %less : tensor<16x!tile.ptr<f32>>, i32
  }
  %w = tile.load %end#0 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  return
}

// -----

// The stride that the test computes is not seen in the body; and a stride that changes from iteration to iteration is none.
// CHECK-LABEL: func.func @while_strides
// CHECK-COUNT-2: base ? strides [?] align 4 vector 1 not structured: address
func.func @while_strides(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %i = tile.range 0 to 16 : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %start = tile.ptr_add %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %end:3 = scf.while (%p = %start, %s = %n) : (tensor<16x!tile.ptr<f32>>, i32) -> (tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>, i32) {
    %twice = arith.addi %s, %s : i32
    %ss = tile.splat %twice : tensor<16xi32>
    %off = arith.muli %ss, %i : tensor<16xi32>
    %strided = tile.ptr_add %xs, %off : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %more = arith.cmpi sgt, %s, %c1 : i32
    scf.condition(%more) %strided, %p, %s : tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>, i32
  } do {
  ^bb0(%q: tensor<16x!tile.ptr<f32>>, %r: tensor<16x!tile.ptr<f32>>, %now: i32):
    %v = tile.load %q : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %w = tile.load %r : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %next = tile.ptr_add %r, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %less = arith.subi %now, %c1 : i32
    scf.yield %next, %less : tensor<16x!tile.ptr<f32>>, i32
  }
  return
}

// -----

// Chosen by a branch: of one stride, with the lesser alignment; and of two strides.
// CHECK-LABEL: func.func @chosen
// CHECK: %[[P:.*]]:2 = scf.if
// CHECK: tile.load {{.*}}base %[[P]]#0 strides [1] contiguous 16 along 0 align 8 vector 2 structured
// CHECK: tile.load {{.*}}base ? strides [?] align 4 vector 1 not structured: address
// CHECK: %[[S:.*]] = arith.select
// CHECK: tile.load {{.*}}base %[[S]] strides [1] contiguous 16 along 0 align 8 vector 2 structured
func.func @chosen(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 8 : i64}, %which: i1) attributes {tile.kernel} {
  %i = tile.range 0 to 16 : tensor<16xi32>
  %twice = arith.addi %i, %i : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<16x!tile.ptr<f32>>
  %ptrs:2 = scf.if %which -> (tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>) {
    %p = tile.ptr_add %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %p, %p : tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>
  } else {
    %p = tile.ptr_add %ys, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %q = tile.ptr_add %ys, %twice : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %p, %q : tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>
  }
  %v = tile.load %ptrs#0 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %w = tile.load %ptrs#1 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %px = tile.ptr_add %xs, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %py = tile.ptr_add %ys, %i : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %whole = tile.splat %which : tensor<16xi1>
  %s = arith.select %whole, %px, %py : tensor<16xi1>, tensor<16x!tile.ptr<f32>>
  %u = tile.load %s : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  return
}
