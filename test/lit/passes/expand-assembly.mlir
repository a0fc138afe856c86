// PTX that computes values becomes ops; predicated instructions choose; what is not understood stays.
// RUN: %tilewise-opt --tile-expand-assembly %s | FileCheck %s

// CHECK-LABEL: func.func @softplus
func.func @softplus(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[P:.*]] = arith.cmpf ogt, %[[X:.*]], %{{.*}} : tensor<8xf32>
  // CHECK: %[[E:.*]] = math.exp2 %[[X]]
  // CHECK: %[[S:.*]] = arith.select %[[P]], %[[X]], %[[E]]
  // CHECK: return %[[S]]
  %0 = tile.inline_asm "{ .reg .pred p; setp.gt.f32 p, $1, 20.; @p mov.f32 $0, $1; @!p ex2.approx.ftz.f32 $0, $1; }", "=r,r"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @packs
func.func @packs(%x: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>) {
  // CHECK: %[[A:.*]] = tile.shl %{{.*}}, %{{.*}} : tensor<8xi32>
  %0 = tile.inline_asm "shl.b32 $0, $2, 3; shl.b32 $1, $3, 3;", "=r,=r,r,r"(%x) pack 2 : (tensor<8xi32>) -> tensor<8xi32>
  // The elements of a pack change places, or are not treated alike.
  // CHECK: %[[B:.*]] = tile.inline_asm
  %1 = tile.inline_asm "mov.b32 $0, $3; mov.b32 $1, $2;", "=r,=r,r,r"(%x) pack 2 : (tensor<8xi32>) -> tensor<8xi32>
  // CHECK: %[[C:.*]] = tile.inline_asm
  %2 = tile.inline_asm "mov.b32 $0, $2; not.b32 $1, $3;", "=r,=r,r,r"(%x) pack 2 : (tensor<8xi32>) -> tensor<8xi32>
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
}

// Two halves to a register: the elements of a pack, or those of one element.
// CHECK-LABEL: func.func @halves
func.func @halves(%x: tensor<8xf16>, %n: tensor<8xi32>) -> (tensor<8xf16>, tensor<8xi32>) {
  // CHECK: %[[A:.*]] = arith.mulf %arg0, %arg0 : tensor<8xf16>
  %0 = tile.inline_asm "mul.f16x2 $0, $1, $1;", "=r,r"(%x) pack 2 : (tensor<8xf16>) -> tensor<8xf16>
  // CHECK: arith.negf %{{.*}} : tensor<8xf16>
  // CHECK: arith.negf %{{.*}} : tensor<8xf16>
  // CHECK: %[[B:.*]] = arith.ori
  %1 = tile.inline_asm "neg.f16x2 $0, $1;", "=r,r"(%n) : (tensor<8xi32>) -> tensor<8xi32>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<8xf16>, tensor<8xi32>
}

// CHECK-LABEL: func.func @stays
func.func @stays(%x: f32, %n: i32) -> (f32, i32, i32) {
  // CHECK: tile.inline_asm "ld.global.f32
  %0 = tile.inline_asm "ld.global.f32 $0, [$1];", "=f,l"(%x) : (f32) -> f32
  // A register that was never written, and a special one.
  // CHECK: tile.inline_asm ".reg
  %1 = tile.inline_asm ".reg .b32 t; add.s32 $0, $1, t;", "=r,r"(%n) : (i32) -> i32
  // CHECK: tile.inline_asm "mov.u32
  %2 = tile.inline_asm "mov.u32 $0, %smid;", "=r,r"(%n) : (i32) -> i32
  return %0, %1, %2 : f32, i32, i32
}

// Two numbers of 32 bits, and four of 8 bits, to a register.
// CHECK-LABEL: func.func @pieces
func.func @pieces(%x: tensor<8xf32>, %b: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xi8>, tensor<8xi8>) {
  // CHECK: %[[BITS:.*]] = arith.bitcast %arg0
  // CHECK: %[[X:.*]] = arith.bitcast %[[BITS]] : tensor<8xi32> to tensor<8xf32>
  // CHECK: %[[A:.*]] = arith.addf %[[X]], %{{.*}} : tensor<8xf32>
  // CHECK-NOT: tile.shl
  %0 = tile.inline_asm "{ .reg .b64 a; mov.b64 a, {$2, $3}; add.f32x2 a, a, a; mov.b64 {$0, $1}, a; }", "=r,=r,r,r"(%x) pack 2 : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %[[B:.*]] = tile.inline_asm
  %1 = tile.inline_asm "{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; mov.b32 $0, {b, a, c, d}; }", "=r,r"(%b) pack 4 : (tensor<8xi8>) -> tensor<8xi8>
  // CHECK: return %[[A]], %[[B]], %arg1
  %2 = tile.inline_asm "{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; mov.b32 $0, {a, b, c, d}; }", "=r,r"(%b) pack 4 : (tensor<8xi8>) -> tensor<8xi8>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xi8>, tensor<8xi8>
}
