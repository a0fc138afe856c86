// RUN: %tilewise-opt --cpu-expand-narrow-floats %s | FileCheck %s

// bf16 is added as f32; both conversions are made of integer ops.
// CHECK-LABEL: func.func @add
// CHECK-NOT: arith.extf
// CHECK: arith.shli
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci %{{.*}} : vector<16xi32> to vector<16xi16>
// CHECK: arith.bitcast %{{.*}} : vector<16xi16> to vector<16xbf16>
func.func @add(%x: vector<16xbf16>, %y: vector<16xbf16>) -> vector<16xbf16> {
  %z = arith.addf %x, %y : vector<16xbf16>
  return %z : vector<16xbf16>
}

// f16 has instructions for its conversions, but not for arithmetic.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK: arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
func.func @half(%x: vector<16xf16>) -> vector<16xf16> {
  %z = arith.mulf %x, %x : vector<16xf16>
  return %z : vector<16xf16>
}
