// RUN: %tilewise-opt --tile-to-cpu-nests --cse --split-input-file %s | FileCheck %s

// A launch that is alone adds vectors; any other adds elements, each by an atomic.
// CHECK-LABEL: func.func @added(
// CHECK: scf.if
// CHECK: %[[OLD:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], {{.*}} : vector<16xf32>
// CHECK: llvm.store %[[NEW]]
// CHECK: } else {
// CHECK: llvm.atomicrmw fadd
func.func @added(%in: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %x = tile.splat %in : tensor<64xf32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %old = tile.atomic_rmw fadd %outp, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

// Others may be processes: the scope says so.
// CHECK-LABEL: func.func @added_for_all(
// CHECK-NOT: scf.if
// CHECK: llvm.atomicrmw fadd
func.func @added_for_all(%in: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %x = tile.splat %in : tensor<64xf32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %old = tile.atomic_rmw fadd %outp, %x {scope = #tile<scope sys>} : tensor<64x!tile.ptr<f32>>, tensor<64xf32> -> tensor<64xf32>
  return
}

// -----

// Elements that may meet are added one after another.
// CHECK-LABEL: func.func @meeting(
// CHECK: scf.if
// CHECK-NOT: vector<16xf32>
// CHECK: arith.addf {{.*}} : f32
// CHECK: } else {
// CHECK: llvm.atomicrmw fadd
func.func @meeting(%in: f32, %out: !tile.ptr<f32>, %stride: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  %s = tile.splat %stride : tensor<64xi32>
  %at = arith.muli %r, %s : tensor<64xi32>
  %x = tile.splat %in : tensor<64xf32>
  %outs = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %old = tile.atomic_rmw fadd %outp, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32> -> tensor<64xf32>
  return
}
