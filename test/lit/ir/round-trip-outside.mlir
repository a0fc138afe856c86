// Promises, library calls, inline assembly, maps and batched dots print as they are parsed.
// RUN: %tilewise-opt %s | %tilewise-opt | FileCheck %s

// CHECK-LABEL: func.func @outside
func.func @outside(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %n: i32, %c: i1) {
  // CHECK: tile.hint %{{.*}} divisibility [16] contiguity [8] : tensor<8x!tile.ptr<f32>>
  %q = tile.hint %p divisibility [16] contiguity [8] : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.hint %{{.*}} divisibility [16] : i32
  %m = tile.hint %n divisibility [16] : i32
  // CHECK: tile.assume
  tile.assume %c
  // CHECK: tile.extern_call "asin"(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
  %y = tile.extern_call "asin"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.extern_call "globaltimer"() impure : () -> i64
  %t = tile.extern_call "globaltimer"() impure : () -> i64
  // CHECK: tile.inline_asm "shl.b32 $0, $0, 3;", "=r,r"(%{{.*}}) pack 4 : (tensor<8xf32>) -> tensor<8xf32>
  %z = tile.inline_asm "shl.b32 $0, $0, 3;", "=r,r"(%x) pack 4 : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.map(%{{.*}}) {
  // CHECK: tile.yield
  // CHECK: } : (tensor<8xf32>) -> tensor<8xf32>
  %w = tile.map (%x) {
  ^bb0(%e: f32):
    %s = scf.if %c -> f32 {
      %d = arith.addf %e, %e : f32
      scf.yield %d : f32
    } else {
      scf.yield %e : f32
    }
    tile.yield %s : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @batched
func.func @batched(%a: tensor<4x16x32xf8E4M3FN>, %b: tensor<4x32x8xf8E5M2>, %acc: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  // CHECK: tile.dot {{.*}} : tensor<4x16x32xf8E4M3FN>, tensor<4x32x8xf8E5M2> -> tensor<4x16x8xf32>
  %r = tile.dot %a, %b, %acc : tensor<4x16x32xf8E4M3FN>, tensor<4x32x8xf8E5M2> -> tensor<4x16x8xf32>
  return %r : tensor<4x16x8xf32>
}
