// RUN: %tilewise-opt %s --split-input-file --gpu-choose-mma --gpu-assign-layouts --gpu-place-copies=boxes=false | FileCheck %s
// RUN: %tilewise-opt %s --split-input-file --gpu-choose-mma=machine=nvidia:80 --gpu-assign-layouts=machine=nvidia:80 --gpu-place-copies=boxes=false | FileCheck %s --check-prefix=AMPERE
// RUN: %tilewise-opt %s --split-input-file --gpu-choose-mma --gpu-assign-layouts --gpu-place-copies="num-stages=1 boxes=false" | FileCheck %s --check-prefix=ONE

// Both operands are loaded for the dot alone: copied into rings that may be two iterations ahead.
// The sum `acc + dot` becomes the dot's own.
// CHECK: !tile = !gpu.tile<[64, 32], f16, minor = 1, swizzle = 64>
// CHECK-LABEL: func.func @both
// CHECK-DAG: %[[A:.*]] = gpu.ring : <4, !tile>
// CHECK-DAG: %[[B:.*]] = gpu.ring : <4, !tile1>
// CHECK: scf.for
// CHECK-SAME: %[[FILLED:[a-z0-9]+]] = %[[Z:c0_i32[_0-9]*]], %[[TAKEN:[a-z0-9]+]] = %[[Z]]
// CHECK: %[[SLOT:.*]] = gpu.slot %[[A]][%[[FILLED]]]
// CHECK: gpu.fill %[[SLOT]], {{.*}}gpu.vector = 8
// CHECK-NEXT: gpu.commit
// CHECK-NEXT: gpu.await 0
// CHECK-NEXT: %[[LEFT:.*]] = gpu.slot %[[A]][%[[TAKEN]]]
// CHECK: %[[RIGHT:.*]] = gpu.slot %[[B]][%[[TAKEN]]]
// CHECK: %[[BEGUN:.*]] = gpu.mma "wgmma.m64n64k16.f16" %[[LEFT]], %[[RIGHT]], %{{.*}} : !tile, !tile1
// CHECK-NEXT: gpu.mma_wait 0 %[[BEGUN]]
// CHECK-NOT: arith.addf
// CHECK: gpu.ahead = 2
// mma.sync has its operands in registers: it reads them from the slot.
// AMPERE-LABEL: func.func @both
// AMPERE: gpu.fill
// AMPERE: gpu.read {{.*}} : !tile ->
// AMPERE: tile.dot {{.*}}gpu.mma = "m16n8k16.f16"
// ONE-LABEL: func.func @both
// ONE: gpu.ring : <1, !tile>
// ONE-NOT: gpu.ahead
func.func @both(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %row = arith.constant dense<32> : tensor<64x1xi32>
  %wide = arith.constant dense<64> : tensor<32x1xi32>
  %out = arith.constant dense<64> : tensor<64x1xi32>
  %m = tile.range 0 to 64 : tensor<64xi32>
  %k = tile.range 0 to 32 : tensor<32xi32>
  %mc = tile.expand_dims %m at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %kr = tile.expand_dims %k at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %kc = tile.expand_dims %k at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %nr = tile.expand_dims %m at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %a0 = arith.muli %mc, %row : tensor<64x1xi32>
  %a1 = tile.broadcast %a0 : tensor<64x1xi32> -> tensor<64x32xi32>
  %a2 = tile.broadcast %kr : tensor<1x32xi32> -> tensor<64x32xi32>
  %a3 = arith.addi %a1, %a2 : tensor<64x32xi32>
  %ps = tile.splat %p : tensor<64x32x!tile.ptr<f16>>
  %pa = tile.ptr_add %ps, %a3 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %b0 = arith.muli %kc, %wide : tensor<32x1xi32>
  %b1 = tile.broadcast %b0 : tensor<32x1xi32> -> tensor<32x64xi32>
  %b2 = tile.broadcast %nr : tensor<1x64xi32> -> tensor<32x64xi32>
  %b3 = arith.addi %b1, %b2 : tensor<32x64xi32>
  %qs = tile.splat %q : tensor<32x64x!tile.ptr<f16>>
  %pb = tile.ptr_add %qs, %b3 : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %pa : tensor<64x32x!tile.ptr<f16>> -> tensor<64x32xf16>
    %b = tile.load %pb : tensor<32x64x!tile.ptr<f16>> -> tensor<32x64xf16>
    %d = tile.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %s = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %o0 = arith.muli %mc, %out : tensor<64x1xi32>
  %o1 = tile.broadcast %o0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %o2 = tile.broadcast %nr : tensor<1x64xi32> -> tensor<64x64xi32>
  %o3 = arith.addi %o1, %o2 : tensor<64x64xi32>
  %os = tile.splat %o : tensor<64x64x!tile.ptr<f32>>
  %po = tile.ptr_add %os, %o3 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// -----

// Where the mask is off this load gives ones, which no copy can: the block is staged. So is a block
// that comes from no load.
// CHECK-LABEL: func.func @staged
// CHECK-NOT: gpu.ring
// CHECK: %[[A:.*]] = tile.load
// CHECK: gpu.stage %[[A]]
// CHECK: gpu.mma
func.func @staged(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ones = arith.constant dense<1.0> : tensor<64x64xf16>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %m = tile.range 0 to 64 : tensor<64xi32>
  %mc = tile.expand_dims %m at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %nr = tile.expand_dims %m at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %a0 = arith.muli %mc, %width : tensor<64x1xi32>
  %a1 = tile.broadcast %a0 : tensor<64x1xi32> -> tensor<64x64xi32>
  %a2 = tile.broadcast %nr : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %a1, %a2 : tensor<64x64xi32>
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.ptr_add %ps, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ns = tile.splat %n : tensor<64x64xi32>
  %on = arith.cmpi slt, %at, %ns : tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %pa mask %on : tensor<64x64xi1> other %ones : tensor<64x64xf16> : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %b = arith.addf %a, %a : tensor<64x64xf16>
    %s = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %os = tile.splat %o : tensor<64x64x!tile.ptr<f32>>
  %po = tile.ptr_add %os, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %po, %sum : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
