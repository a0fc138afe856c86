// RUN: %tilewise-opt %s --split-input-file --gpu-allocate-shared --gpu-insert-barriers --gpu-check-barriers | FileCheck %s
// Conversions in which no element leaves its warp: each warp has a part of the scratch for itself, and no warp waits for another, neither in the
// conversion nor before its scratch is written again.
#sums = #gpu.layout<[64, 64], register = [1, 512, 8, 16, 32], lane = [2, 4, 64, 128, 256], warp = [1024, 2048]>
#rows = #gpu.layout<[64, 64], register = [1, 2, 4, 256, 512], lane = [8, 16, 32, 64, 128], warp = [1024, 2048]>
module attributes {gpu.num_warps = 4 : i32, gpu.machine = "nvidia:90"} {
  // CHECK-LABEL: func.func @loop
  // CHECK: scf.for
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.convert_layout
  // CHECK: gpu.barrier
  // CHECK-NEXT: tile.store
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  func.func @loop(%n: i32, %p: !tile.ptr<f16>, %value: tensor<64x64xf16, #sums>) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>, #rows>
    scf.for %i = %zero to %n step %one : i32 {
      %rows = gpu.convert_layout %value : tensor<64x64xf16, #sums> -> tensor<64x64xf16, #rows>
      tile.store %ps, %rows : tensor<64x64x!tile.ptr<f16>, #rows>, tensor<64x64xf16, #rows>
    }
    return
  }
}

// -----

#sums = #gpu.layout<[64, 64], register = [1, 512, 8, 16, 32], lane = [2, 4, 64, 128, 256], warp = [1024, 2048]>
#others = #gpu.layout<[64, 64], register = [1, 2, 4, 1024, 2048], lane = [8, 16, 32, 64, 128], warp = [256, 512]>
module attributes {gpu.num_warps = 4 : i32, gpu.machine = "nvidia:90"} {
  // What another conversion read, whose warps are others, is written only when all have read it.
  // CHECK-LABEL: func.func @others
  // CHECK: scf.for
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: {{.*}}gpu.convert_layout
  // CHECK-NEXT: tile.store
  // CHECK-NOT: gpu.barrier
  // CHECK: return
  func.func @others(%n: i32, %p: !tile.ptr<f16>, %value: tensor<64x64xf16, #sums>) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %ps = tile.splat %p : tensor<64x64x!tile.ptr<f16>, #others>
    scf.for %i = %zero to %n step %one : i32 {
      %others = gpu.convert_layout %value : tensor<64x64xf16, #sums> -> tensor<64x64xf16, #others>
      tile.store %ps, %others : tensor<64x64x!tile.ptr<f16>, #others>, tensor<64x64xf16, #others>
    }
    return
  }
}
