// RUN: %tilewise-opt %s --gpu-assign-layouts --gpu-allocate-shared | FileCheck %s
// RUN: not %tilewise-opt %s --gpu-assign-layouts=machine=nvidia:75 --gpu-allocate-shared 2>&1 | FileCheck %s --check-prefix=SMALL

// Neighbouring ops do not share a place. Four warps along the axis, four bytes each; the dot's operands are
// 128x(128+4) and 128x128 floats, and lie first since they are the larger.
// CHECK: gpu.shared_bytes = 133136 : i32
// CHECK: tile.reduce
// CHECK-SAME: gpu.shared = 133120
// CHECK: tile.dot {{.*}}gpu.shared = 0
// SMALL: error: the kernel needs 133120 bytes of shared memory, 133120 of them here; a program may have 65536; take smaller blocks
func.func @two(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %at = tile.range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %pp = tile.ptr_add %ps, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pp : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %s = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<1024xf32>) -> f32
  %ones = tile.splat %s : tensor<128x128xf32>
  %d = tile.dot %ones, %ones, %ones : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
  %qs = tile.splat %q : tensor<128x128x!tile.ptr<f32>>
  tile.store %qs, %d : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xf32>
  return
}
