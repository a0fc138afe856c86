// Library calls that ops of the dialect express, one that stays, and a cast toward zero.
// RUN: %tilewise-opt --tile-expand-libdevice %s | FileCheck %s

// CHECK-LABEL: func.func @calls
func.func @calls(%x: f32, %y: f32, %d: tensor<8xf64>, %n: i64) -> (f32, f32, tensor<8xf64>, i1, i32, f32) {
  // CHECK: %[[E:.*]] = math.exp %{{.*}} : f32
  %0 = tile.extern_call "expf"(%x) : (f32) -> f32
  // CHECK: %[[D:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
  %1 = tile.extern_call "fdiv_rn"(%x, %y) : (f32, f32) -> f32
  // CHECK: %[[S:.*]] = math.sqrt %{{.*}} : tensor<8xf64>
  %2 = tile.extern_call "dsqrt_rn"(%d) : (tensor<8xf64>) -> tensor<8xf64>
  // CHECK: %[[N:.*]] = arith.cmpf uno, %{{.*}}, %{{.*}} : f32
  %3 = tile.extern_call "isnanf"(%x) : (f32) -> i1
  // CHECK: %[[C:.*]] = math.ctlz %{{.*}} : i64
  // CHECK: %[[I:.*]] = arith.trunci %[[C]] : i64 to i32
  %4 = tile.extern_call "clzll"(%n) : (i64) -> i32
  // CHECK: %[[A:.*]] = tile.extern_call "asinf"(%{{.*}}) : (f32) -> f32
  %5 = tile.extern_call "asinf"(%x) : (f32) -> f32
  // CHECK: return %[[E]], %[[D]], %[[S]], %[[N]], %[[I]], %[[A]]
  return %0, %1, %2, %3, %4, %5 : f32, f32, tensor<8xf64>, i1, i32, f32
}

// CHECK-LABEL: func.func @rounded
func.func @rounded(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>) {
  // Halves go away from zero.
  // CHECK: %[[WHOLE:.*]] = math.trunc %[[X:.*]] : tensor<8xf32>
  // CHECK: %[[REST:.*]] = arith.subf %[[X]], %[[WHOLE]]
  // CHECK: %[[SIZE:.*]] = math.absf %[[REST]]
  // CHECK: %[[HALF:.*]] = arith.cmpf oge, %[[SIZE]], %{{.*}}
  // CHECK: %[[FURTHER:.*]] = arith.addf %[[WHOLE]], %{{.*}}
  // CHECK: %[[AWAY:.*]] = arith.select %[[HALF]], %[[FURTHER]], %[[WHOLE]]
  %0 = tile.extern_call "roundf"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: %[[EVEN:.*]] = math.roundeven %[[X]]
  // CHECK: %[[INT:.*]] = tile.fp_to_si %[[EVEN]] : tensor<8xf32> -> tensor<8xi32>
  %1 = tile.extern_call "float2int_rn"(%x) : (tensor<8xf32>) -> tensor<8xi32>
  // CHECK: return %[[AWAY]], %[[INT]]
  return %0, %1 : tensor<8xf32>, tensor<8xi32>
}

// CHECK-LABEL: func.func @toward_zero
func.func @toward_zero(%x: tensor<8xf32>) -> tensor<8xf16> {
  // CHECK: %[[NEAR:.*]] = arith.truncf %[[X:.*]] : tensor<8xf32> to tensor<8xf16>
  // CHECK: %[[BACK:.*]] = arith.extf %[[NEAR]]
  // CHECK-DAG: %[[ABS:.*]] = math.absf %[[X]]
  // CHECK-DAG: %[[OUT:.*]] = math.absf %[[BACK]]
  // CHECK: %[[BEYOND:.*]] = arith.cmpf ogt, %[[OUT]], %[[ABS]]
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[NEAR]] : tensor<8xf16> to tensor<8xi16>
  // CHECK: %[[LESS:.*]] = arith.subi %[[BITS]], %{{.*}} : tensor<8xi16>
  // CHECK: %[[STEP:.*]] = arith.bitcast %[[LESS]] : tensor<8xi16> to tensor<8xf16>
  // CHECK: arith.select %[[BEYOND]], %[[STEP]], %[[NEAR]]
  %0 = arith.truncf %x toward_zero : tensor<8xf32> to tensor<8xf16>
  return %0 : tensor<8xf16>
}
