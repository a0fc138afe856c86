// What the author promises by tile.hint and tile.assume, as access inference takes it.
// RUN: %tilewise-opt --tile-infer-access --split-input-file %s | FileCheck %s

// Offsets that were loaded: nothing is known of them but what max_contiguous(multiple_of(x, 8), 8) promises. A divisibility alone does
// not say of which elements.
// CHECK-LABEL: func.func @promised_runs
// CHECK: tile.load {{.*}}base ? strides [?] align 4 vector 1 not structured: address
// CHECK: tile.load {{.*}}base ? strides [?] contiguous 8 along 0 align 16 vector 4 not structured: address
func.func @promised_runs(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %index: !tile.ptr<i32>) attributes {tile.kernel} {
  %range = tile.range 0 to 64 : tensor<64xi32>
  %is = tile.splat %index : tensor<64x!tile.ptr<i32>>
  %ip = tile.ptr_add %is, %range : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %at = tile.load %ip : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %multiple = tile.hint %at divisibility [8] : tensor<64xi32>
  %run = tile.hint %multiple contiguity [8] : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %multiple : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %a = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %q = tile.ptr_add %xs, %run : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %b = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}

// -----

// The form is known without the promise, the alignment of its start only by it; and it stays known around a loop whose step keeps it.
// CHECK-LABEL: func.func @promised_start
// CHECK: tile.load {{.*}}base %arg0 + %arg1 strides [1] contiguous 16 along 0 align 4 vector 1 structured
// CHECK: tile.load {{.*}}base %arg0 + %arg1 strides [1] contiguous 16 along 0 align 16 vector 4 structured
// CHECK: tile.load {{.*}}base %arg4 strides [1] contiguous 16 along 0 align 8 vector 2 structured
func.func @promised_start(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %first: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2> : tensor<16xi32>
  %range = tile.range 0 to 16 : tensor<16xi32>
  %firsts = tile.splat %first : tensor<16xi32>
  %at = arith.addi %firsts, %range : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %a = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %hint = tile.hint %at divisibility [16] : tensor<16xi32>
  %q = tile.ptr_add %xs, %hint : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %b = tile.load %q : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%r = %q) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %v = tile.load %r : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %next = tile.ptr_add %r, %two : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  return
}

// -----

// Scalars: a hint speaks of its result only, an assumption of its operand wherever that is used, unless it stands inside a branch.
// CHECK-LABEL: func.func @scalars
// CHECK: tile.load {{.*}}base %arg0 + %arg1 strides [1] contiguous 16 along 0 align 4
// CHECK: tile.load {{.*}}base %arg0 + %{{.*}} strides [1] contiguous 16 along 0 align 16
// CHECK: tile.load {{.*}}base %arg0 + %arg2 strides [1] contiguous 16 along 0 align 16
// CHECK: tile.load {{.*}}base %arg0 + %arg3 strides [1] contiguous 16 along 0 align 4
func.func @scalars(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %a: i32, %b: i32, %c: i32, %yes: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %bases = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %xs = tile.ptr_add %bases, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %a0 = tile.splat %a : tensor<16xi32>
  %p0 = tile.ptr_add %xs, %a0 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v0 = tile.load %p0 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %hint = tile.hint %a divisibility [4] : i32
  %a1 = tile.splat %hint : tensor<16xi32>
  %p1 = tile.ptr_add %xs, %a1 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v1 = tile.load %p1 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %b0 = tile.splat %b : tensor<16xi32>
  %p2 = tile.ptr_add %xs, %b0 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v2 = tile.load %p2 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %rest = tile.rem_s %b, %c8 : i32
  %divides = arith.cmpi eq, %rest, %c0 : i32
  tile.assume %divides
  %restc = tile.rem_s %c, %c8 : i32
  %dividesc = arith.cmpi eq, %restc, %c0 : i32
  scf.if %yes {
    tile.assume %dividesc
  }
  %c1 = tile.splat %c : tensor<16xi32>
  %p3 = tile.ptr_add %xs, %c1 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v3 = tile.load %p3 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  return
}

// -----

// An unsigned comparison bounds what is assumed not to be negative.
// CHECK-LABEL: func.func @unsigned_bound
// CHECK: tile.load {{.*}}bounds [i0 < %arg1 + -1 * %arg2] {{.*}} structured
func.func @unsigned_bound(%x: !tile.ptr<f32>, %n: i32, %first: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %cm1 = arith.constant -1 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %firsts = tile.splat %first : tensor<16xi32>
  %at = arith.addi %firsts, %range : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %inside = arith.cmpi ult, %at, %ns : tensor<16xi32>
  %bases = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %p = tile.ptr_add %bases, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %p mask %inside : tensor<16xi1> : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %isGood = arith.cmpi sge, %n, %c0 : i32
  %isGoodToo = arith.cmpi slt, %cm1, %first : i32
  %both = arith.andi %isGood, %isGoodToo : i1
  tile.assume %both
  return
}
