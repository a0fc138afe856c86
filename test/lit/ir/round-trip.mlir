// Round trip of shape, integer, conversion, memory, dot and reduce ops.
// RUN: %tilewise-opt %s | %tilewise-opt | FileCheck %s

// CHECK-LABEL: func.func @attributes
// CHECK-SAME: (%{{.*}}: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x_ptr"}, %{{.*}}: !tile.ptr<!tile.ptr<i8>>) attributes {tile.kernel}
func.func @attributes(%x: !tile.ptr<f32> {tile.name = "x_ptr", tile.divisibility = 16 : i64}, %pp: !tile.ptr<!tile.ptr<i8>>) attributes {tile.kernel} {
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%s: f32, %p: !tile.ptr<f32>) {
  // CHECK: tile.range 4 to 12 : tensor<8xi32>
  %r = tile.range 4 to 12 : tensor<8xi32>
  // CHECK: tile.range -4 to 4 : tensor<8xi32>
  %n = tile.range -4 to 4 : tensor<8xi32>
  // CHECK: tile.splat %{{.*}} : tensor<8x2xf32>
  %0 = tile.splat %s : tensor<8x2xf32>
  // CHECK: tile.splat %{{.*}} : tensor<8x!tile.ptr<f32>>
  %1 = tile.splat %p : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.expand_dims %{{.*}} at 1 : tensor<8xi32> -> tensor<8x1xi32>
  %2 = tile.expand_dims %r at 1 : tensor<8xi32> -> tensor<8x1xi32>
  // CHECK: tile.broadcast %{{.*}} : tensor<8x1xi32> -> tensor<8x4xi32>
  %3 = tile.broadcast %2 : tensor<8x1xi32> -> tensor<8x4xi32>
  return
}

// CHECK-LABEL: func.func @integers
func.func @integers(%a: i32, %b: i32, %x: tensor<4xi64>, %f: tensor<4xbf16>) {
  // CHECK: tile.div_s %{{.*}}, %{{.*}} : i32
  %0 = tile.div_s %a, %b : i32
  // CHECK: tile.div_u %{{.*}}, %{{.*}} : i32
  %1 = tile.div_u %a, %b : i32
  // CHECK: tile.rem_s %{{.*}}, %{{.*}} : tensor<4xi64>
  %2 = tile.rem_s %x, %x : tensor<4xi64>
  // CHECK: tile.rem_u
  %3 = tile.rem_u %x, %x : tensor<4xi64>
  // CHECK: tile.shl
  %4 = tile.shl %a, %b : i32
  // CHECK: tile.shr_s
  %5 = tile.shr_s %a, %b : i32
  // CHECK: tile.shr_u
  %6 = tile.shr_u %a, %b : i32
  // CHECK: tile.fp_to_si %{{.*}} : tensor<4xbf16> -> tensor<4xi8>
  %7 = tile.fp_to_si %f : tensor<4xbf16> -> tensor<4xi8>
  // CHECK: tile.fp_to_ui %{{.*}} : tensor<4xbf16> -> tensor<4xi32>
  %8 = tile.fp_to_ui %f : tensor<4xbf16> -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%p: tensor<4x!tile.ptr<f16>>, %o: tensor<4xi64>, %m: tensor<4xi1>, %v: tensor<4xf16>, %s: !tile.ptr<i32>) {
  // CHECK: tile.ptr_add %{{.*}}, %{{.*}} : tensor<4x!tile.ptr<f16>>, tensor<4xi64>
  %0 = tile.ptr_add %p, %o : tensor<4x!tile.ptr<f16>>, tensor<4xi64>
  // CHECK: tile.load %{{.*}} : tensor<4x!tile.ptr<f16>> -> tensor<4xf16>
  %1 = tile.load %p : tensor<4x!tile.ptr<f16>> -> tensor<4xf16>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<4xi1> other %{{.*}} : tensor<4xf16> {cache = #tile<cache cg>, eviction = #tile<eviction first>, isVolatile} : tensor<4x!tile.ptr<f16>> -> tensor<4xf16>
  %2 = tile.load %p mask %m : tensor<4xi1> other %v : tensor<4xf16> {cache = #tile<cache cg>, eviction = #tile<eviction first>, isVolatile} : tensor<4x!tile.ptr<f16>> -> tensor<4xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<4xi1> {cache = #tile<cache wt>} : tensor<4x!tile.ptr<f16>>, tensor<4xf16>
  tile.store %p, %v mask %m : tensor<4xi1> {cache = #tile<cache wt>} : tensor<4x!tile.ptr<f16>>, tensor<4xf16>
  // CHECK: %[[S:.*]] = tile.load %{{.*}} : !tile.ptr<i32> -> i32
  %3 = tile.load %s : !tile.ptr<i32> -> i32
  // CHECK: tile.store %{{.*}}, %[[S]] : !tile.ptr<i32>, i32
  tile.store %s, %3 : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: func.func @blocks
func.func @blocks(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %i: tensor<16x8xi32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} {precision = #tile<precision ieee>} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %0 = tile.dot %a, %b, %c {precision = #tile<precision ieee>} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) along 1 {
  // CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
  // CHECK: } : (tensor<16x8xf32>, tensor<16x8xi32>) -> (tensor<16xf32>, tensor<16xi32>)
  %1:2 = tile.reduce(%c, %i) along 1 {
  ^bb0(%x: f32, %xi: i32, %y: f32, %yi: i32):
    %s = arith.addf %x, %y : f32
    tile.yield %s, %xi : f32, i32
  } : (tensor<16x8xf32>, tensor<16x8xi32>) -> (tensor<16xf32>, tensor<16xi32>)
  // CHECK: tile.reduce(%{{.*}}) along 0
  // CHECK: } : (tensor<16xf32>) -> f32
  %2 = tile.reduce(%1#0) along 0 {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    tile.yield %m : f32
  } : (tensor<16xf32>) -> f32
  return
}
