// The target-independent pipeline: its order, and its effect with and without fusion.
// RUN: %tilewise-opt --tile-optimize %s | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: %tilewise-opt --tile-optimize=fp-fusion=false %s | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %tilewise-opt --tile-optimize --dump-pass-pipeline %s 2>&1 | FileCheck %s --check-prefix=LIST

// LIST: builtin.module(func.func(tile-apply-hints),canonicalize{{.*}},loop-invariant-code-motion,cse,func.func(tile-form-dots),func.func(tile-form-fma),canonicalize{{.*}},tile-verify-stage)

// What does not change in the loop leaves it; the product fuses with its sum, when asked to.
// CHECK-LABEL: func.func @kernel
// CHECK: tile.splat
// CHECK: scf.for
// CHECK-NOT: tile.splat
// FUSED: math.fma
// PLAIN: arith.mulf
// PLAIN: arith.addf
// CHECK: scf.yield
func.func @kernel(%p: !tile.ptr<f32>, %n: i32, %scale: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %ps = tile.splat %p : tensor<8x!tile.ptr<f32>>
  %r = tile.range 0 to 8 : tensor<8xi32>
  %ptrs = tile.ptr_add %ps, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<8xf32>) : i32 {
    %s = tile.splat %scale : tensor<8xf32>
    %x = tile.load %ptrs : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
    %xs = arith.mulf %x, %s : tensor<8xf32>
    %next = arith.addf %acc, %xs : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  tile.store %ptrs, %sum : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}
