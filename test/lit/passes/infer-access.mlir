// Access inference over the patterns of the kernels: what each load and store is found to be.
// RUN: %tilewise-opt --tile-infer-access --split-input-file %s | FileCheck %s

// One dimension, masked: the mask `first + i < n` is a bound on the index.
// CHECK-LABEL: func.func @vector_add
// CHECK: %[[FIRST:.*]] = arith.muli
// CHECK: tile.load {{.*}}base %arg0 + %[[FIRST]] strides [1] bounds [i0 < %arg2 + -1 * %[[FIRST]]] contiguous 1024 along 0 align 16 vector 4 structured
// CHECK: tile.store {{.*}}base %arg1 + %[[FIRST]] strides [1] bounds [i0 < %arg2 + -1 * %[[FIRST]]] contiguous 1024 along 0 align 4 vector 1 structured
func.func @vector_add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c1024 : i32
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %firsts = tile.splat %first : tensor<1024xi32>
  %at = arith.addi %firsts, %range : tensor<1024xi32>
  %ns = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %at, %ns : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %zs = tile.splat %z : tensor<1024x!tile.ptr<f32>>
  %zp = tile.ptr_add %zs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %zp, %v mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// A row: the scalar pointer of the row is the base, whatever arithmetic made it; its alignment follows from the stride's.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[ROW:.*]] = tile.ptr_add %arg0
// CHECK: tile.load {{.*}}base %[[ROW]] strides [1] bounds [i0 < %arg2] contiguous 64 along 0 align 16 vector 1 structured
func.func @softmax(%in: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %stride: i32 {tile.divisibility = 16 : i64}, %columns: i32)
    attributes {tile.kernel} {
  %row = tile.program_id 0
  %offset = arith.muli %row, %stride : i32
  %base = tile.ptr_add %in, %offset : !tile.ptr<f16>, i32
  %column = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %columns : tensor<64xi32>
  %inside = arith.cmpi slt, %column, %limit : tensor<64xi32>
  %bases = tile.splat %base : tensor<64x!tile.ptr<f16>>
  %ptrs = tile.ptr_add %bases, %column : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %other = arith.constant dense<0xFC00> : tensor<64xf16>
  %v = tile.load %ptrs mask %inside : tensor<64xi1> other %other : tensor<64xf16> : tensor<64x!tile.ptr<f16>> -> tensor<64xf16>
  return
}

// -----

// Two dimensions: y * width + x, with two bounds. The second plane starts height * width further on.
// CHECK-LABEL: func.func @greyscale
// CHECK: %[[Y:.*]] = arith.muli %{{.*}}, %c8_i32
// CHECK: %[[X:.*]] = arith.muli %{{.*}}, %c32_i32
// CHECK: %[[PLANE:.*]] = arith.muli %arg1, %arg2
// CHECK: tile.load {{.*}}base %arg0 + %[[Y]] * %arg2 + %[[X]] strides [%arg2, 1] bounds [i0 < %arg1 + -1 * %[[Y]], i1 < %arg2 + -1 * %[[X]]] contiguous 32 along 1 align 16 vector 16 structured
// CHECK: tile.load {{.*}}base %{{.*}} + %[[Y]] * %arg2 + %[[X]] strides [%arg2, 1] {{.*}} align 16 vector 16 structured
func.func @greyscale(%in: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %height: i32, %width: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel} {
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %py = tile.program_id 0
  %y0 = arith.muli %py, %c8 : i32
  %ry = tile.range 0 to 8 : tensor<8xi32>
  %ry1 = tile.expand_dims %ry at 1 : tensor<8xi32> -> tensor<8x1xi32>
  %y0s = tile.splat %y0 : tensor<8x1xi32>
  %y = arith.addi %y0s, %ry1 : tensor<8x1xi32>
  %px = tile.program_id 1
  %x0 = arith.muli %px, %c32 : i32
  %rx = tile.range 0 to 32 : tensor<32xi32>
  %rx1 = tile.expand_dims %rx at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %x0s = tile.splat %x0 : tensor<1x32xi32>
  %x = arith.addi %x0s, %rx1 : tensor<1x32xi32>
  %h = tile.splat %height : tensor<8x1xi32>
  %yin = arith.cmpi slt, %y, %h : tensor<8x1xi32>
  %w = tile.splat %width : tensor<1x32xi32>
  %xin = arith.cmpi slt, %x, %w : tensor<1x32xi32>
  %yinb = tile.broadcast %yin : tensor<8x1xi1> -> tensor<8x32xi1>
  %xinb = tile.broadcast %xin : tensor<1x32xi1> -> tensor<8x32xi1>
  %inside = arith.andi %yinb, %xinb : tensor<8x32xi1>
  %w8 = tile.splat %width : tensor<8x1xi32>
  %yw = arith.muli %y, %w8 : tensor<8x1xi32>
  %ywb = tile.broadcast %yw : tensor<8x1xi32> -> tensor<8x32xi32>
  %xb = tile.broadcast %x : tensor<1x32xi32> -> tensor<8x32xi32>
  %pixel = arith.addi %ywb, %xb : tensor<8x32xi32>
  %plane = arith.muli %height, %width : i32
  %ins = tile.splat %in : tensor<8x32x!tile.ptr<i8>>
  %p0 = tile.ptr_add %ins, %pixel : tensor<8x32x!tile.ptr<i8>>, tensor<8x32xi32>
  %red = tile.load %p0 mask %inside : tensor<8x32xi1> : tensor<8x32x!tile.ptr<i8>> -> tensor<8x32xi8>
  %second = tile.ptr_add %in, %plane : !tile.ptr<i8>, i32
  %seconds = tile.splat %second : tensor<8x32x!tile.ptr<i8>>
  %p1 = tile.ptr_add %seconds, %pixel : tensor<8x32x!tile.ptr<i8>>, tensor<8x32xi32>
  %green = tile.load %p1 mask %inside : tensor<8x32xi1> : tensor<8x32x!tile.ptr<i8>> -> tensor<8x32xi8>
  return
}

// -----

// A carried block of pointers: inside the loop the block itself is the base, and the mask follows `K - done`.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[M0:.*]] = arith.muli
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[PTRS:.*]] = %{{.*}}) -> (tensor<32x16x!tile.ptr<f32>>)
// CHECK: %[[LEFT:.*]] = arith.subi %arg2
// CHECK: tile.load {{.*}}base %[[PTRS]] strides [%arg3, 1] bounds [i0 < %arg1 + -1 * %[[M0]], i1 < %[[LEFT]]] contiguous 16 along 1 align 16 vector 4 structured
// CHECK: tile.load {{.*}}base %[[LOOP]] strides [%arg3, 1] contiguous 16 along 1 align 16 vector 4 structured
func.func @matmul(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %M: i32, %K: i32 {tile.divisibility = 16 : i64},
                  %sm: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %pid = tile.program_id 0
  %m0 = arith.muli %pid, %c32 : i32
  %rm = tile.range 0 to 32 : tensor<32xi32>
  %m0s = tile.splat %m0 : tensor<32xi32>
  %m = arith.addi %m0s, %rm : tensor<32xi32>
  %k = tile.range 0 to 16 : tensor<16xi32>
  %m1 = tile.expand_dims %m at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %k1 = tile.expand_dims %k at 0 : tensor<16xi32> -> tensor<1x16xi32>
  %sms = tile.splat %sm : tensor<32x1xi32>
  %rows = arith.muli %m1, %sms : tensor<32x1xi32>
  %as = tile.splat %a : tensor<32x1x!tile.ptr<f32>>
  %rowp = tile.ptr_add %as, %rows : tensor<32x1x!tile.ptr<f32>>, tensor<32x1xi32>
  %rowb = tile.broadcast %rowp : tensor<32x1x!tile.ptr<f32>> -> tensor<32x16x!tile.ptr<f32>>
  %kb = tile.broadcast %k1 : tensor<1x16xi32> -> tensor<32x16xi32>
  %start = tile.ptr_add %rowb, %kb : tensor<32x16x!tile.ptr<f32>>, tensor<32x16xi32>
  %end = scf.for %done = %c0 to %K step %c16 iter_args(%ptrs = %start) -> (tensor<32x16x!tile.ptr<f32>>) : i32 {
    %ms = tile.splat %M : tensor<32x1xi32>
    %min = arith.cmpi slt, %m1, %ms : tensor<32x1xi32>
    %left = arith.subi %K, %done : i32
    %lefts = tile.splat %left : tensor<1x16xi32>
    %kin = arith.cmpi slt, %k1, %lefts : tensor<1x16xi32>
    %minb = tile.broadcast %min : tensor<32x1xi1> -> tensor<32x16xi1>
    %kinb = tile.broadcast %kin : tensor<1x16xi1> -> tensor<32x16xi1>
    %inside = arith.andi %minb, %kinb : tensor<32x16xi1>
    %v = tile.load %ptrs mask %inside : tensor<32x16xi1> : tensor<32x16x!tile.ptr<f32>> -> tensor<32x16xf32>
    %step = arith.constant dense<16> : tensor<32x16xi32>
    %next = tile.ptr_add %ptrs, %step : tensor<32x16x!tile.ptr<f32>>, tensor<32x16xi32>
    scf.yield %next : tensor<32x16x!tile.ptr<f32>>
  }
  %after = tile.load %end : tensor<32x16x!tile.ptr<f32>> -> tensor<32x16xf32>
  return
}

// -----

// A carried block that changes its stride is not carried by its first element; one through an inner loop still is.
// CHECK-LABEL: func.func @carried_twice
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK: scf.for {{.*}} iter_args(%[[INNER:.*]] = %{{.*}})
// CHECK: tile.load {{.*}}base %[[INNER]] strides [1] {{.*}} structured
// CHECK: tile.load {{.*}}base ? strides [?] align 4 vector 1 not structured: address
func.func @carried_twice(%a: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %as = tile.splat %a : tensor<16x!tile.ptr<f32>>
  %start = tile.ptr_add %as, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %step = tile.splat %n : tensor<16xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %start, %q = %start) -> (tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>) : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%pi = %p) -> (tensor<16x!tile.ptr<f32>>) : i32 {
      %v = tile.load %pi : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
      %pn = tile.ptr_add %pi, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
      scf.yield %pn : tensor<16x!tile.ptr<f32>>
    }
    %w = tile.load %q : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %qn = tile.ptr_add %q, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %s, %qn : tensor<16x!tile.ptr<f32>>, tensor<16x!tile.ptr<f32>>
  }
  return
}

// -----

// The wrap `m % M` is not a box, but runs of 16 rows are still contiguous when M is divisible by 16. Rows looked up in an index keep
// the stride of the other dimension.
// CHECK-LABEL: func.func @wrapped
// CHECK: tile.load {{.*}}base ? strides [?] contiguous 16 along 0 align 16 vector 4 not structured: address
// CHECK: tile.load {{.*}}base %arg2 strides [1]
// CHECK: tile.load {{.*}}base ? strides [?, 1] contiguous 8 along 1 align 16 vector 4 not structured: address
func.func @wrapped(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %M: i32 {tile.divisibility = 16 : i64}, %index: !tile.ptr<i32>) attributes {tile.kernel} {
  %c32 = arith.constant 32 : i32
  %pid = tile.program_id 0
  %m0 = arith.muli %pid, %c32 : i32
  %rm = tile.range 0 to 32 : tensor<32xi32>
  %m0s = tile.splat %m0 : tensor<32xi32>
  %m = arith.addi %m0s, %rm : tensor<32xi32>
  %Ms = tile.splat %M : tensor<32xi32>
  %wrap = tile.rem_s %m, %Ms : tensor<32xi32>
  %as = tile.splat %a : tensor<32x!tile.ptr<f32>>
  %p = tile.ptr_add %as, %wrap : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %is = tile.splat %index : tensor<32x!tile.ptr<i32>>
  %ip = tile.ptr_add %is, %rm : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %rows = tile.load %ip : tensor<32x!tile.ptr<i32>> -> tensor<32xi32>
  %rows1 = tile.expand_dims %rows at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %sixteen = arith.constant dense<16> : tensor<32x1xi32>
  %offsets = arith.muli %rows1, %sixteen : tensor<32x1xi32>
  %offsetsb = tile.broadcast %offsets : tensor<32x1xi32> -> tensor<32x8xi32>
  %c = tile.range 0 to 8 : tensor<8xi32>
  %c1 = tile.expand_dims %c at 0 : tensor<8xi32> -> tensor<1x8xi32>
  %cb = tile.broadcast %c1 : tensor<1x8xi32> -> tensor<32x8xi32>
  %gather = arith.addi %offsetsb, %cb : tensor<32x8xi32>
  %as2 = tile.splat %a : tensor<32x8x!tile.ptr<f32>>
  %gp = tile.ptr_add %as2, %gather : tensor<32x8x!tile.ptr<f32>>, tensor<32x8xi32>
  %gv = tile.load %gp : tensor<32x8x!tile.ptr<f32>> -> tensor<32x8xf32>
  return
}

// -----

// Masks: lower bounds, swapped sides, scalar conditions, uniform comparisons, and a conjunct that is not understood.
// CHECK-LABEL: func.func @masks
// CHECK: tile.load {{.*}}bounds [i0 >= %arg1 + 1, i0 < %arg2 + 1, %arg1 + -1 * %arg2 > 0, %arg3] {{.*}} structured
// CHECK: tile.load {{.*}}bounds [i0 < %arg2] contiguous 32 along 0 align 4 vector 1 not structured: mask
// CHECK: tile.load {{.*}}base %arg0 strides [] bounds [%arg3] align 4 vector 1 structured
func.func @masks(%a: !tile.ptr<f32>, %lo: i32, %hi: i32, %on: i1) attributes {tile.kernel} {
  %i = tile.range 0 to 32 : tensor<32xi32>
  %los = tile.splat %lo : tensor<32xi32>
  %his = tile.splat %hi : tensor<32xi32>
  %above = arith.cmpi sgt, %i, %los : tensor<32xi32>
  %below = arith.cmpi sge, %his, %i : tensor<32xi32>
  %ordered = arith.cmpi slt, %his, %los : tensor<32xi32>
  %ons = tile.splat %on : tensor<32xi1>
  %m0 = arith.andi %above, %below : tensor<32xi1>
  %m1 = arith.andi %ordered, %ons : tensor<32xi1>
  %m = arith.andi %m0, %m1 : tensor<32xi1>
  %as = tile.splat %a : tensor<32x!tile.ptr<f32>>
  %p = tile.ptr_add %as, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p mask %m : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %strict = arith.cmpi slt, %i, %his : tensor<32xi32>
  %odd = arith.cmpi ne, %i, %los : tensor<32xi32>
  %both = arith.andi %strict, %odd : tensor<32xi1>
  %w = tile.load %p mask %both : tensor<32xi1> : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %s = tile.load %a mask %on : i1 : !tile.ptr<f32> -> f32
  return
}
