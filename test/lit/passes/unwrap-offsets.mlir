// Wraps and clamps of offsets for lanes that nothing stores become masks of the loads; where a change could be stored they stay.
// RUN: %tilewise-opt --tile-unwrap-offsets --split-input-file %s | FileCheck %s
// RUN: %tilewise-opt --tile-prepare --tile-infer-access --split-input-file %s | FileCheck %s --check-prefix=ACCESS

// The tutorials' matmul: rows of A past the end reach only rows of C past the end, whatever is carried around the loop.
// CHECK-LABEL: func.func @matmul
// CHECK-NOT: tile.rem_s
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[M:.*]], %{{.*}} : tensor<16xi32>
// CHECK: tile.expand_dims %[[IN]] at 1
// CHECK: tile.expand_dims %[[M]] at 1
// CHECK: scf.for
// CHECK: arith.andi
// CHECK: tile.load
// ACCESS-LABEL: func.func @matmul
// ACCESS: tile.load {{.*}}bounds [{{.*}}i0 < {{.*}}i1 < {{.*}}structured
func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %M: i32, %K: i32, %s: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %firsts = tile.splat %first : tensor<16xi32>
  %m = arith.addi %firsts, %range : tensor<16xi32>
  %Ms = tile.splat %M : tensor<16xi32>
  %wrapped = tile.rem_s %m, %Ms : tensor<16xi32>
  %rows = tile.expand_dims %wrapped at 1 : tensor<16xi32> -> tensor<16x1xi32>
  %ss = tile.splat %s : tensor<16x1xi32>
  %rowOff = arith.muli %rows, %ss : tensor<16x1xi32>
  %as = tile.splat %a : tensor<16x1x!tile.ptr<f32>>
  %rowPtr = tile.ptr_add %as, %rowOff : tensor<16x1x!tile.ptr<f32>>, tensor<16x1xi32>
  %k = tile.expand_dims %range at 0 : tensor<16xi32> -> tensor<1x16xi32>
  %kk = tile.broadcast %k : tensor<1x16xi32> -> tensor<16x16xi32>
  %rowPtrs = tile.broadcast %rowPtr : tensor<16x1x!tile.ptr<f32>> -> tensor<16x16x!tile.ptr<f32>>
  %ap = tile.ptr_add %rowPtrs, %kk : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %bs = tile.splat %b : tensor<16x16x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %kk : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %y = tile.load %bp : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %step = arith.constant dense<16> : tensor<16x16xi32>
  %acc, %end = scf.for %done = %c0 to %K step %c16 iter_args(%sum = %zero, %p = %ap) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>) : i32 {
    %left = arith.subi %K, %done : i32
    %lefts = tile.splat %left : tensor<16x16xi32>
    %inK = arith.cmpi slt, %kk, %lefts : tensor<16x16xi32>
    %x = tile.load %p mask %inK : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %next = tile.dot %x, %y, %sum : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %q = tile.ptr_add %p, %step : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    scf.yield %next, %q : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>
  }
  %m1 = tile.expand_dims %m at 1 : tensor<16xi32> -> tensor<16x1xi32>
  %Ms1 = tile.splat %M : tensor<16x1xi32>
  %in1 = arith.cmpi slt, %m1, %Ms1 : tensor<16x1xi32>
  %in = tile.broadcast %in1 : tensor<16x1xi1> -> tensor<16x16xi1>
  %cs = tile.splat %c : tensor<16x16x!tile.ptr<f32>>
  %cOff1 = arith.muli %m1, %ss : tensor<16x1xi32>
  %cOff = tile.broadcast %cOff1 : tensor<16x1xi32> -> tensor<16x16xi32>
  %cp0 = tile.ptr_add %cs, %cOff : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %cp = tile.ptr_add %cp0, %kk : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %cp, %acc mask %in : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// -----

// Clamped by a select or a minimum: the same. A bound that is tighter than the clamp will do.
// CHECK-LABEL: func.func @clamps
// CHECK-NOT: arith.select
// CHECK-NOT: arith.minsi
// CHECK-COUNT-2: tile.load {{.*}} mask
// CHECK: return
// ACCESS-LABEL: func.func @clamps
// ACCESS-COUNT-3: {{ structured}}
func.func @clamps(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %zeros = arith.constant dense<0> : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %less = arith.subi %n, %c1 : i32
  %last = tile.splat %less : tensor<16xi32>
  %in = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %inside = arith.cmpi slt, %range, %last : tensor<16xi32>
  %at = arith.select %in, %range, %zeros : tensor<16xi1>, tensor<16xi32>
  %at2 = arith.minsi %range, %ns : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %p2 = tile.ptr_add %xs, %at2 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v2 = tile.load %p2 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %sum = arith.addf %v, %v2 : tensor<16xf32>
  %zs = tile.splat %z : tensor<16x!tile.ptr<f32>>
  %q = tile.ptr_add %zs, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %q, %sum mask %inside : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}

// -----

// Stored without a mask, under a looser one, and summed up: every lane of the wrapped load is demanded.
// CHECK-LABEL: func.func @demanded
// CHECK-COUNT-3: tile.rem_s
// CHECK-NOT: mask %{{.*}} -> tensor<16xf32>
// CHECK: return
func.func @demanded(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32, %total: !tile.ptr<f32>) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %ns = tile.splat %n : tensor<16xi32>
  %more = arith.addi %n, %c1 : i32
  %mores = tile.splat %more : tensor<16xi32>
  %in = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %inMore = arith.cmpi slt, %range, %mores : tensor<16xi32>
  %xs = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %zs = tile.splat %z : tensor<16x!tile.ptr<f32>>
  %q = tile.ptr_add %zs, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %at0 = tile.rem_s %range, %ns {one} : tensor<16xi32>
  %p0 = tile.ptr_add %xs, %at0 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v0 = tile.load %p0 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  tile.store %q, %v0 : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  %at1 = tile.rem_s %range, %ns {two} : tensor<16xi32>
  %p1 = tile.ptr_add %xs, %at1 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v1 = tile.load %p1 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  tile.store %q, %v1 mask %inMore : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  %at2 = tile.rem_s %range, %ns {three} : tensor<16xi32>
  %p2 = tile.ptr_add %xs, %at2 : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v2 = tile.load %p2 : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %sum = tile.reduce(%v2) along 0 {
  ^bb0(%left: f32, %right: f32):
    %both = arith.addf %left, %right : f32
    tile.yield %both : f32
  } : (tensor<16xf32>) -> f32
  tile.store %total, %sum : !tile.ptr<f32>, f32
  tile.store %q, %v2 mask %in : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}

// -----

// The depth of a dot reaches every element of the result; and what one iteration hands to the next meets other offsets there.
// CHECK-LABEL: func.func @depth_and_loops
// CHECK: tile.rem_s
// CHECK: scf.for
// CHECK: tile.rem_s
func.func @depth_and_loops(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ns = tile.splat %n : tensor<16xi32>
  %k = tile.rem_s %range, %ns : tensor<16xi32>
  %k1 = tile.expand_dims %k at 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k2 = tile.broadcast %k1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %xs = tile.splat %x : tensor<16x16x!tile.ptr<f32>>
  %p = tile.ptr_add %xs, %k2 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %a = tile.load %p : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %product = tile.dot %a, %zero, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %in0 = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %in1 = tile.expand_dims %in0 at 0 : tensor<16xi1> -> tensor<1x16xi1>
  %in2 = tile.broadcast %in1 : tensor<1x16xi1> -> tensor<16x16xi1>
  %zs = tile.splat %z : tensor<16x16x!tile.ptr<f32>>
  %r1 = tile.expand_dims %range at 0 : tensor<16xi32> -> tensor<1x16xi32>
  %r2 = tile.broadcast %r1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %q = tile.ptr_add %zs, %r2 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %q, %product mask %in2 : tensor<16x16xi1> : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  %none = arith.constant dense<0.0> : tensor<16xf32>
  %xv = tile.splat %x : tensor<16x!tile.ptr<f32>>
  %zv = tile.splat %z : tensor<16x!tile.ptr<f32>>
  %last = scf.for %i = %c0 to %n step %c16 iter_args(%before = %none) -> (tensor<16xf32>) : i32 {
    %is = tile.splat %i : tensor<16xi32>
    %m = arith.addi %is, %range : tensor<16xi32>
    %w = tile.rem_s %m, %ns : tensor<16xi32>
    %xp = tile.ptr_add %xv, %w : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %v = tile.load %xp : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %in = arith.cmpi slt, %m, %ns : tensor<16xi32>
    %zp = tile.ptr_add %zv, %m : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    tile.store %zp, %before mask %in : tensor<16xi1> : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
    scf.yield %v : tensor<16xf32>
  }
  return
}
