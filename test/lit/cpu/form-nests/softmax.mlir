// RUN: %tilewise-opt --cpu-form-nests %s | FileCheck %s

// Softmax is three nests: the maximum; the exponentials, kept in scratch, and their sum; the quotients. The load is cheap enough to do twice.
// Offsets stand outside: nobody computes them as blocks.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[SCRATCH:.*]] = cpu.scratch : <tensor<1024xf32>>
// CHECK: tile.ptr_add
// CHECK: %[[TOP:.*]] = cpu.nest over [1024] {
// CHECK-NEXT: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[MAX:.*]] = tile.reduce(%[[X]])
// CHECK: arith.maxnumf
// CHECK: cpu.yield %[[MAX]] : f32
// CHECK-NEXT: } -> f32
// CHECK: %[[TOPS:.*]] = tile.splat %[[TOP]]
// CHECK: %[[SUM:.*]] = cpu.nest over [1024] {
// CHECK-NEXT: %[[AGAIN:.*]] = tile.load
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[AGAIN]], %[[TOPS]]
// CHECK-NEXT: %[[W:.*]] = math.exp %[[D]]
// CHECK-NEXT: tile.reduce(%[[W]])
// CHECK: cpu.keep %[[W]] into %[[SCRATCH]] : tensor<1024xf32>
// CHECK: cpu.nest over [1024] {
// CHECK-NEXT: %[[KEPT:.*]] = cpu.read %[[SCRATCH]] : tensor<1024xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.divf %[[KEPT]]
// CHECK-NEXT: tile.store %{{.*}}, %[[Y]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @softmax(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>) attributes {tile.kernel} {
  %column = tile.range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %in : tensor<1024x!tile.ptr<f32>>
  %ptrs = tile.ptr_add %ps, %column : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ptrs : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %top = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<1024xf32>) -> f32
  %tops = tile.splat %top : tensor<1024xf32>
  %d = arith.subf %x, %tops : tensor<1024xf32>
  %w = math.exp %d : tensor<1024xf32>
  %sum = tile.reduce(%w) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<1024xf32>) -> f32
  %sums = tile.splat %sum : tensor<1024xf32>
  %y = arith.divf %w, %sums : tensor<1024xf32>
  %ops = tile.splat %out : tensor<1024x!tile.ptr<f32>>
  %optrs = tile.ptr_add %ops, %column : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %optrs, %y : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
