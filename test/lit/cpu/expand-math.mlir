// RUN: %tilewise-opt --cpu-expand-math %s | FileCheck %s

// What underflows is taken far below, where the instruction does not stop for it.
// CHECK-LABEL: func.func @exp(
// CHECK-NOT: math.exp
// CHECK: %[[LEAST:.*]] = arith.constant dense<-1.040000e+02>
// CHECK: %[[ISZERO:.*]] = arith.cmpf olt, %[[X:.*]], %[[LEAST]]
// CHECK: %[[FAR:.*]] = arith.constant dense<-1.000000e+04>
// CHECK: arith.select %[[ISZERO]], %[[FAR]], %[[X]]
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Without it, here for lanes that fill no register, it is a power of 0 that is not taken.
// CHECK-LABEL: func.func @exp_of_few
// CHECK: %[[ISZERO:.*]] = arith.cmpf olt, %[[X:.*]], %{{.*}}
// CHECK: arith.select %[[ISZERO]], %{{.*}}, %[[X]]
// CHECK: %[[POWER:.*]] = arith.mulf
// CHECK: %[[Y:.*]] = arith.select %[[ISZERO]], %{{.*}}, %[[POWER:.*]] : vector<2xi1>, vector<2xf32>
// CHECK: return %[[Y]]
func.func @exp_of_few(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.exp %x : vector<2xf32>
  return %y : vector<2xf32>
}

// A number beats a quiet NaN in the one instruction, so what comes from memory is made quiet; what arithmetic made is.
// CHECK-LABEL: func.func @maximum
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[QUIET:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[X:.*]], %[[X]],
// CHECK: %[[TOP:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[QUIET]], %[[SUM]],
// CHECK: return %[[TOP]]
func.func @maximum(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %sum = arith.addf %x, %y : vector<16xf32>
  %top = arith.maxnumf %x, %sum : vector<16xf32>
  return %top : vector<16xf32>
}

// What is one instruction stays.
// CHECK-LABEL: func.func @sqrt
// CHECK: math.sqrt
func.func @sqrt(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.sqrt %x : vector<8xf64>
  return %y : vector<8xf64>
}

// A fused multiply-add of f16 is exact in f64 until the last rounding.
// CHECK-LABEL: func.func @fma
// CHECK-NOT: math.fma
// CHECK: arith.mulf %{{.*}} : vector<8xf64>
// CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf16>
func.func @fma(%x: vector<8xf16>) -> vector<8xf16> {
  %y = math.fma %x, %x, %x : vector<8xf16>
  return %y : vector<8xf16>
}
