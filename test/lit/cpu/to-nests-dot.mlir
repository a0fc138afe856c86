// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// The carried accumulator stays in its buffer, and the carried pointers are one scalar pointer.
// CHECK-LABEL: func.func @accumulate(
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (!llvm.ptr)  : i32
// The micro-kernel: 6 rows by 4 vectors in registers, then 4 rows.
// CHECK: scf.for {{.*}} step %c6_i64
// CHECK: scf.for {{.*}} step %c64_i64
// CHECK: scf.for {{.*}} step %c8_i64 iter_args
// CHECK: scf.for {{.*}} step %c1_i64 iter_args
// CHECK-COUNT-24: math.fma %{{.*}} : vector<16xf32>
// CHECK: scf.for {{.*}} step %c8_i64 iter_args
// CHECK-COUNT-16: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
func.func @accumulate(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %count: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.range 0 to 64 : tensor<64xi32>
  %rows = tile.expand_dims %r at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %starts = arith.muli %rows, %stride : tensor<64x1xi32>
  %columns = tile.expand_dims %r at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %starts2 = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns2 = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %starts2, %columns2 : tensor<64x64xi32>
  %as = tile.splat %a : tensor<64x64x!tile.ptr<f32>>
  %ptrs = tile.ptr_add %as, %offsets : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<4096> : tensor<64x64xi32>
  %result:2 = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero, %at = %ptrs) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f32>>) : i32 {
    %v = tile.load %at : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
    %next = tile.dot %v, %v, %acc : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %moved = tile.ptr_add %at, %step : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    scf.yield %next, %moved : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f32>>
  }
  %cs = tile.splat %c : tensor<64x64x!tile.ptr<f32>>
  %out = tile.ptr_add %cs, %offsets : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %out, %result#0 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
