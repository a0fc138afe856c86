// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// Softmax is three nests: the maximum; the exponentials, kept in scratch, and their sum; the quotients.
// CHECK: tile.scratch_bytes = 4224
// CHECK-LABEL: func.func @softmax(
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.maxnumf
// CHECK: vector.shuffle
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: llvm.store
// CHECK: arith.addf
// CHECK: vector.shuffle
// CHECK-NOT: math.exp
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: llvm.store
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
