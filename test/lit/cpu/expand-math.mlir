// RUN: %tilewise-opt --cpu-expand-math %s | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// CHECK: return
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
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
