// RUN: %tilewise-opt %s --split-input-file --gpu-assign-layouts | FileCheck %s

// A block read along rows and written along columns: one conversion between the two layouts; pointers are computed in each.
// CHECK-DAG: #[[ROWS:.+]] = #gpu.layout<[32, 64], register = [1, 2, {{.*}}], lane = [4, 8, 16, 32, 64]
// CHECK-DAG: #[[COLUMNS:.+]] = #gpu.layout<[32, 64], register = [64, 128, {{.*}}], lane = [256, 512, 1024, 1, 2]
// CHECK: func.func @transpose
// CHECK: %[[X:.*]] = tile.load {{.*}}gpu.uniform_mask{{.*}}gpu.vector = 4 : i32{{.*}} -> tensor<32x64xf32, #[[ROWS]]>
// CHECK: %[[Y:.*]] = gpu.convert_layout %[[X]] : tensor<32x64xf32, #[[ROWS]]> -> tensor<32x64xf32, #[[COLUMNS]]>
// CHECK-NOT: gpu.convert_layout
// CHECK: tile.store %{{.*}}, %[[Y]] {{.*}}gpu.vector = 4
func.func @transpose(%in: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %c32 = arith.constant dense<32> : tensor<1x64xi32>
  %m = tile.range 0 to 32 : tensor<32xi32>
  %n = tile.range 0 to 64 : tensor<64xi32>
  %mc = tile.expand_dims %m at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %nr = tile.expand_dims %n at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = arith.muli %mc, %c64 : tensor<32x1xi32>
  %rowsb = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %nb = tile.broadcast %nr : tensor<1x64xi32> -> tensor<32x64xi32>
  %at = arith.addi %rowsb, %nb : tensor<32x64xi32>
  %ins = tile.splat %in : tensor<32x64x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %at : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %x = tile.load %inp : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
  %columns = arith.muli %nr, %c32 : tensor<1x64xi32>
  %columnsb = tile.broadcast %columns : tensor<1x64xi32> -> tensor<32x64xi32>
  %mb = tile.broadcast %mc : tensor<32x1xi32> -> tensor<32x64xi32>
  %to = arith.addi %columnsb, %mb : tensor<32x64xi32>
  %outs = tile.splat %out : tensor<32x64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %to : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  tile.store %outp, %x : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>
  return
}

// -----

// The result of a reduction has its source's layout without the axis; broadcast back it needs no conversion.
// CHECK-DAG: #[[BLOCK:.+]] = #gpu.layout<[8, 128], register = [1, 2, {{.*}}], lane = [4, 8, 16, 32, 64], warp = [{{.*}}]>
// CHECK-DAG: #[[ROW:.+]] = #gpu.layout<[8], register = [{{.*}}], lane = [0, 0, 0, 0, 0], warp = [{{.*}}]>
// CHECK: func.func @centre
// CHECK: tile.reduce
// CHECK: } : (tensor<8x128xf32, #[[BLOCK]]>) -> tensor<8xf32, #[[ROW]]>
// CHECK-NOT: gpu.convert_layout
// CHECK: return
func.func @centre(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c128 = arith.constant dense<128> : tensor<8x1xi32>
  %m = tile.range 0 to 8 : tensor<8xi32>
  %n = tile.range 0 to 128 : tensor<128xi32>
  %mc = tile.expand_dims %m at 1 : tensor<8xi32> -> tensor<8x1xi32>
  %nr = tile.expand_dims %n at 0 : tensor<128xi32> -> tensor<1x128xi32>
  %rows = arith.muli %mc, %c128 : tensor<8x1xi32>
  %rowsb = tile.broadcast %rows : tensor<8x1xi32> -> tensor<8x128xi32>
  %nb = tile.broadcast %nr : tensor<1x128xi32> -> tensor<8x128xi32>
  %at = arith.addi %rowsb, %nb : tensor<8x128xi32>
  %ps = tile.splat %p : tensor<8x128x!tile.ptr<f32>>
  %pp = tile.ptr_add %ps, %at : tensor<8x128x!tile.ptr<f32>>, tensor<8x128xi32>
  %x = tile.load %pp : tensor<8x128x!tile.ptr<f32>> -> tensor<8x128xf32>
  %s = tile.reduce(%x) along 1 {
  ^bb0(%a: f32, %b: f32):
    %m1 = arith.maxnumf %a, %b : f32
    tile.yield %m1 : f32
  } : (tensor<8x128xf32>) -> tensor<8xf32>
  %sc = tile.expand_dims %s at 1 : tensor<8xf32> -> tensor<8x1xf32>
  %sb = tile.broadcast %sc : tensor<8x1xf32> -> tensor<8x128xf32>
  %d = arith.subf %x, %sb : tensor<8x128xf32>
  tile.store %pp, %d : tensor<8x128x!tile.ptr<f32>>, tensor<8x128xf32>
  return
}

// -----

// What is cast to a wider type is converted before that.
// CHECK: func.func @widened
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<32x64xf16, #[[FROM:.*]]>
// CHECK: %[[H:.*]] = gpu.convert_layout %[[X]] : tensor<32x64xf16, #[[FROM]]> -> tensor<32x64xf16, #[[TO:.*]]>
// CHECK: %[[Y:.*]] = arith.extf %[[H]] : tensor<32x64xf16, #[[TO]]> to tensor<32x64xf32, #[[TO]]>
// CHECK: tile.store %{{.*}}, %[[Y]]
func.func @widened(%in: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %c32 = arith.constant dense<32> : tensor<1x64xi32>
  %m = tile.range 0 to 32 : tensor<32xi32>
  %n = tile.range 0 to 64 : tensor<64xi32>
  %mc = tile.expand_dims %m at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %nr = tile.expand_dims %n at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rows = arith.muli %mc, %c64 : tensor<32x1xi32>
  %rowsb = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %nb = tile.broadcast %nr : tensor<1x64xi32> -> tensor<32x64xi32>
  %at = arith.addi %rowsb, %nb : tensor<32x64xi32>
  %ins = tile.splat %in : tensor<32x64x!tile.ptr<f16>>
  %inp = tile.ptr_add %ins, %at : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %h = tile.load %inp : tensor<32x64x!tile.ptr<f16>> -> tensor<32x64xf16>
  %x = arith.extf %h : tensor<32x64xf16> to tensor<32x64xf32>
  %columns = arith.muli %nr, %c32 : tensor<1x64xi32>
  %columnsb = tile.broadcast %columns : tensor<1x64xi32> -> tensor<32x64xi32>
  %mb = tile.broadcast %mc : tensor<32x1xi32> -> tensor<32x64xi32>
  %to = arith.addi %columnsb, %mb : tensor<32x64xi32>
  %outs = tile.splat %out : tensor<32x64x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %to : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  tile.store %outp, %x : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xf32>
  return
}
