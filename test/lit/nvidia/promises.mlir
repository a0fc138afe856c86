// Promises through the NVIDIA engine: the layouts make use of them, the lowering finds nothing to do.
// RUN: %tilewise-opt --tile-to-nvidia --nvidia-to-llvm %s | FileCheck %s
// CHECK-LABEL: @kernel
// CHECK-NOT: tile.hint
// CHECK-NOT: tile.assume
// CHECK: llvm.return
module {
  func.func @kernel(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %positive = arith.cmpi sgt, %n, %c0 : i32
    tile.assume %positive
    %h = tile.hint %n divisibility [4] : i32
    %range = tile.range 0 to 64 : tensor<64xi32>
    %at = tile.hint %range divisibility [64] contiguity [64] : tensor<64xi32>
    %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
    %p = tile.ptr_add %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %ph = tile.hint %p divisibility [16] : tensor<64x!tile.ptr<f32>>
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %sum = scf.for %k = %c0 to %h step %c1 iter_args(%acc = %zero) -> (tensor<64xf32>) : i32 {
      %v = tile.load %ph : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
      %vh = tile.hint %v constancy [1] : tensor<64xf32>
      %next = arith.addf %acc, %vh : tensor<64xf32>
      scf.yield %next : tensor<64xf32>
    } {tile.num_stages = 2 : i32, tile.flatten}
    %zs = tile.splat %z : tensor<64x!tile.ptr<f32>>
    %q = tile.ptr_add %zs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %q, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    return
  }
}
