// Sums of products that are dots, and those that are not.
// RUN: %tilewise-opt --tile-form-dots --canonicalize %s | FileCheck %s

// sum(a[:, :, None] * b[None, :, :], axis=1)
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %[[A:.*]]: tensor<32x16xf32>, %[[B:.*]]: tensor<16x64xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK: %[[C:.*]] = tile.dot %[[A]], %[[B]], %[[ZERO]] {precision = #tile<precision ieee>}
// CHECK-NEXT: return %[[C]]
func.func @plain(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  %a1 = tile.expand_dims %a at 2 : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %b1 = tile.expand_dims %b at 0 : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %a2 = tile.broadcast %a1 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %b2 = tile.broadcast %b1 : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %p = arith.mulf %a2, %b2 : tensor<32x16x64xf32>
  %s = tile.reduce(%p) along 1 {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    tile.yield %0 : f32
  } : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  return %s : tensor<32x64xf32>
}

// sum(b[None, :, :].to(f32) * a[:, None, :].to(f32), axis=2): factors the other way round, the right one transposed, of 16 bits.
// CHECK-LABEL: func.func @turned
// CHECK-SAME: %[[A:.*]]: tensor<32x16xf16>, %[[B:.*]]: tensor<64x16xf16>
// CHECK: %[[T:.*]] = tile.permute %[[B]] by [1, 0] : tensor<64x16xf16> -> tensor<16x64xf16>
// CHECK: tile.dot %[[A]], %[[T]], %{{.*}} : tensor<32x16xf16>, tensor<16x64xf16> -> tensor<32x64xf32>
func.func @turned(%a: tensor<32x16xf16>, %b: tensor<64x16xf16>) -> tensor<32x64xf32> {
  %aw = arith.extf %a : tensor<32x16xf16> to tensor<32x16xf32>
  %bw = arith.extf %b : tensor<64x16xf16> to tensor<64x16xf32>
  %a1 = tile.expand_dims %aw at 1 : tensor<32x16xf32> -> tensor<32x1x16xf32>
  %b1 = tile.expand_dims %bw at 0 : tensor<64x16xf32> -> tensor<1x64x16xf32>
  %a2 = tile.broadcast %a1 : tensor<32x1x16xf32> -> tensor<32x64x16xf32>
  %b2 = tile.broadcast %b1 : tensor<1x64x16xf32> -> tensor<32x64x16xf32>
  %p = arith.mulf %b2, %a2 : tensor<32x64x16xf32>
  %s = tile.reduce(%p) along 2 {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    tile.yield %0 : f32
  } : (tensor<32x64x16xf32>) -> tensor<32x64xf32>
  return %s : tensor<32x64xf32>
}

// A maximum, products that something else needs, and a sum along a dimension that only one factor has are none.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tile.dot
func.func @others(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> (tensor<32x64xf32>, tensor<16x64xf32>, tensor<32x16x64xf32>) {
  %a1 = tile.expand_dims %a at 2 : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %b1 = tile.expand_dims %b at 0 : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %a2 = tile.broadcast %a1 : tensor<32x16x1xf32> -> tensor<32x16x64xf32>
  %b2 = tile.broadcast %b1 : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %p = arith.mulf %a2, %b2 : tensor<32x16x64xf32>
  %q = arith.mulf %b2, %a2 : tensor<32x16x64xf32>
  %r = arith.mulf %b2, %b2 : tensor<32x16x64xf32>
  %m = tile.reduce(%q) along 1 {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.maxnumf %x, %y : f32
    tile.yield %0 : f32
  } : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  %s = tile.reduce(%r) along 0 {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    tile.yield %0 : f32
  } : (tensor<32x16x64xf32>) -> tensor<16x64xf32>
  %t = tile.reduce(%p) along 1 {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    tile.yield %0 : f32
  } : (tensor<32x16x64xf32>) -> tensor<32x64xf32>
  %u = arith.addf %m, %t : tensor<32x64xf32>
  return %u, %s, %p : tensor<32x64xf32>, tensor<16x64xf32>, tensor<32x16x64xf32>
}
