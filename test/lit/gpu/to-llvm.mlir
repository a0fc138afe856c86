// RUN: %tilewise-opt %s --split-input-file --gpu-to-llvm | FileCheck %s

// One thread's share of a range: element 2 * lane + register, in 32-bit arithmetic.
#two = #gpu.layout<[64], register = [1], lane = [2, 4, 8, 16, 32]>
// CHECK: llvm.func ptx_kernelcc @store(%[[P:.*]]: !llvm.ptr<1>)
// CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
// CHECK: llvm.getelementptr %[[P]][%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
module attributes {gpu.machine = "nvidia:90", gpu.num_warps = 1 : i32, gpu.shared_bytes = 0 : i32} {
  func.func @store(%p: !tile.ptr<i32>) attributes {tile.kernel} {
    %ps = tile.splat %p : tensor<64x!tile.ptr<i32>, #two>
    %x = tile.range 0 to 64 : tensor<64xi32, #two>
    %pp = tile.ptr_add %ps, %x : tensor<64x!tile.ptr<i32>, #two>, tensor<64xi32, #two>
    tile.store %pp, %x {gpu.vector = 2 : i32} : tensor<64x!tile.ptr<i32>, #two>, tensor<64xi32, #two>
    return
  }
}

// -----

// Lanes 16 to 31 hold copies: the owner alone stores. A conversion within a warp is a shuffle per register.
#copies = #gpu.layout<[16], lane = [1, 2, 4, 8, 0]>
#back = #gpu.layout<[16], lane = [8, 4, 2, 1, 0]>
// CHECK-LABEL: llvm.func ptx_kernelcc @copies
// CHECK: llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// CHECK-NOT: barrier
// CHECK: llvm.inline_asm has_side_effects {{.*}}"@$2 st.global.b32 [$1], $0;"
module attributes {gpu.machine = "nvidia:90", gpu.num_warps = 1 : i32, gpu.shared_bytes = 0 : i32} {
  func.func @copies(%p: !tile.ptr<i32>) attributes {tile.kernel} {
    %ps = tile.splat %p : tensor<16x!tile.ptr<i32>, #back>
    %x = tile.range 0 to 16 : tensor<16xi32, #copies>
    %y = gpu.convert_layout %x : tensor<16xi32, #copies> -> tensor<16xi32, #back>
    %pp = tile.ptr_add %ps, %y : tensor<16x!tile.ptr<i32>, #back>, tensor<16xi32, #back>
    tile.store %pp, %y : tensor<16x!tile.ptr<i32>, #back>, tensor<16xi32, #back>
    return
  }
}
