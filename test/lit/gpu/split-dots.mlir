// RUN: %tilewise-opt %s --split-input-file --gpu-split-dots=machine=nvidia:75 | FileCheck %s

// 128 x (128 + 4) and 128 x 128 words are twice what a program of a Turing GPU may have, and halves of
// them with their padding a little more than that: four dots, one after the other.
// CHECK-LABEL: func.func @large
// CHECK: tile.split {{.*}} -> tensor<128x64xf32>
// CHECK: tile.split {{.*}} -> tensor<64x128xf32>
// CHECK: %[[LOW:.*]] = tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<128x32xf32>
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[LOW]]
// CHECK-COUNT-2: tile.dot {{.*}} : tensor<128x32xf32>
// CHECK-NOT: tile.dot
// CHECK: return
func.func @large(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %acc: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = tile.dot %a, %b, %acc {precision = #tile<precision ieee>} : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// -----

// What fits, and what tensor cores multiply, stays.
// CHECK-LABEL: func.func @small
// CHECK-NOT: tile.split
func.func @small(%a: tensor<64x64xf32>, %acc: tensor<64x64xf32>, %h: tensor<128x256xf16>, %i: tensor<256x128xf16>, %sums: tensor<128x128xf32>) -> (tensor<64x64xf32>, tensor<128x128xf32>) {
  %0 = tile.dot %a, %a, %acc {precision = #tile<precision ieee>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tile.dot %h, %i, %sums {gpu.mma = "m16n8k16.f16"} : tensor<128x256xf16>, tensor<256x128xf16> -> tensor<128x128xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<128x128xf32>
}
