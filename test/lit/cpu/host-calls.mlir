// What the CPU engine leaves to the process that runs the kernel: functions of libdevice, the clock, prints and assertions.
// RUN: %tilewise-opt --tile-to-cpu-nests --split-input-file %s | FileCheck %s
// RUN: %tilewise-opt --tile-to-cpu --cpu-to-llvm-dialect --split-input-file %s | FileCheck %s --check-prefix=LLVM

// A chunk's elements go through the stack to the library's own loop over them.
// CHECK-LABEL: func.func @gamma
// CHECK: llvm.alloca
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.store %[[X]]
// CHECK: %[[COUNT:.*]] = arith.constant 16 : i64
// CHECK: call @tilewise_libdevice_lgammaf(%{{.*}}, %{{.*}}, %[[COUNT]])
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: func.func private @tilewise_libdevice_lgammaf(!llvm.ptr, !llvm.ptr, i64)
// LLVM: llvm.func @tilewise_libdevice_lgammaf(!llvm.ptr, !llvm.ptr, i64)
func.func @gamma(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = tile.extern_call "lgammaf"(%x) : (tensor<64xf32>) -> tensor<64xf32>
  tile.store %q, %y : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// Where a formula in f64 has bits to spare nothing is called, except for quotients that are too large for it.
// CHECK-LABEL: func.func @formulas
// CHECK: math.log %{{.*}} : vector<16xf64>
// CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
// CHECK: %[[BEYOND:.*]] = vector.reduction <or>
// CHECK: scf.if %[[BEYOND]]
// CHECK: call @tilewise_libdevice_fmodf
// CHECK: else
// CHECK: math.trunc %{{.*}} : vector<16xf64>
// CHECK-NOT: @tilewise_libdevice_log1pf
func.func @formulas(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  %s = tile.splat %p : tensor<64x!tile.ptr<f32>>
  %q = tile.ptr_add %s, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %y = tile.extern_call "log1pf"(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %z = tile.extern_call "fmodf"(%y, %x) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  tile.store %q, %z : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

// CHECK-LABEL: func.func @clock
// CHECK: %[[NOW:.*]] = func.call @tilewise_globaltimer() : () -> i64
// CHECK: llvm.store %[[NOW]]
func.func @clock(%p: !tile.ptr<i64>) attributes {tile.kernel} {
  %now = tile.extern_call "globaltimer"() impure : () -> i64
  tile.store %p, %now : !tile.ptr<i64>, i64
  return
}

// -----

// The op travels as tile IR with the artifact; the kernel hands over its operands in scratch. An assertion is first tested as a whole.
// CHECK: module attributes {tile.delegated_ops = "{{.*}}tile.print{{.*}}tile.assert{{.*}}"
// CHECK-LABEL: func.func @speaks
// CHECK: func.call @tilewise_delegated
// CHECK: scf.if
// CHECK: func.call @tilewise_delegated
func.func @speaks(%n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 64 : tensor<64xi32>
  tile.print "i", %i {isSigned = array<i1: true>} : tensor<64xi32>
  %b = tile.splat %n : tensor<64xi32>
  %c = arith.cmpi slt, %i, %b : tensor<64xi32>
  tile.assert %c, "below" : tensor<64xi1>
  return
}
