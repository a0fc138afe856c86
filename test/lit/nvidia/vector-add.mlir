// RUN: %tilewise-opt %s --tile-to-nvidia | FileCheck %s
// RUN: %tilewise-opt %s --tile-to-nvidia --nvidia-to-llvm | FileCheck %s --check-prefix=LLVM

// Eight elements for each of 128 threads: four neighbours (16 bytes) per thread, a warp covers 512 bytes in a row.
// CHECK: #[[L:.*]] = #gpu.layout<[1024], register = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]>
// CHECK: gpu.num_warps = 4
// CHECK: tile.load {{.*}}gpu.vector = 4 : i32{{.*}} -> tensor<1024xf32, #[[L]]>
// CHECK-NOT: gpu.convert_layout
// CHECK-NOT: gpu.barrier
// CHECK: tile.store {{.*}}gpu.vector = 4

// LLVM: llvm.func ptx_kernelcc @vector_add(%{{.*}}: !llvm.ptr<1>
// LLVM: @$9 ld.global.v4.b32 {$0, $1, $2, $3}, [$8];
// LLVM: st.global.v4.b32 [$4], {$0, $1, $2, $3};
func.func @vector_add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                      %z: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
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
  %xv = tile.load %xp mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %yp = tile.ptr_add %ys, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %yv = tile.load %yp mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %sum = arith.addf %xv, %yv : tensor<1024xf32>
  %zs = tile.splat %z : tensor<1024x!tile.ptr<f32>>
  %zp = tile.ptr_add %zs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %zp, %sum mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
