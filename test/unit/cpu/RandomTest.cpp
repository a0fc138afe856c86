// Kernels that random tests found miscompiled, made small.
#include "CpuHarness.h"

#include <cmath>

namespace tilewise::cputest {
namespace {

// Of two masked loads of one element, the second's address was computed in the first's branch.
TEST(CpuRandom, MaskedLoadsOfOneElement) {
  CompiledKernel kernel(R"(
func.func @k(%a: !tile.ptr<f32>, %b: !tile.ptr<i8>, %x: !tile.ptr<f32>, %y: !tile.ptr<i8>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 1 : tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %j = tile.rem_s %i, %one : tensor<1xi32>
  %bound = tile.splat %n : tensor<1xi32>
  %on = arith.cmpi slt, %i, %bound : tensor<1xi32>
  %pa = tile.splat %a : tensor<1x!tile.ptr<f32>>
  %qa = tile.ptr_add %pa, %j : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  %otherA = arith.constant dense<-1.0> : tensor<1xf32>
  %va = tile.load %qa mask %on : tensor<1xi1> other %otherA : tensor<1xf32> : tensor<1x!tile.ptr<f32>> -> tensor<1xf32>
  %pb = tile.splat %b : tensor<1x!tile.ptr<i8>>
  %qb = tile.ptr_add %pb, %i : tensor<1x!tile.ptr<i8>>, tensor<1xi32>
  %otherB = arith.constant dense<7> : tensor<1xi8>
  %vb = tile.load %qb mask %on : tensor<1xi1> other %otherB : tensor<1xi8> : tensor<1x!tile.ptr<i8>> -> tensor<1xi8>
  %px = tile.splat %x : tensor<1x!tile.ptr<f32>>
  %qx = tile.ptr_add %px, %i : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  tile.store %qx, %va : tensor<1x!tile.ptr<f32>>, tensor<1xf32>
  %py = tile.splat %y : tensor<1x!tile.ptr<i8>>
  %qy = tile.ptr_add %py, %i : tensor<1x!tile.ptr<i8>>, tensor<1xi32>
  tile.store %qy, %vb : tensor<1x!tile.ptr<i8>>, tensor<1xi8>
  return
})");
  ASSERT_TRUE(kernel);
  for (int n : {0, 1}) {
    float a = 2.5f, x = 0;
    int8_t b = 3, y = 0;
    kernel.run({1, 1, 1}, &a, &b, &x, &y, n);
    EXPECT_EQ(x, n ? 2.5f : -1.0f);
    EXPECT_EQ(y, n ? 3 : 7);
  }
}

// The index of a one-element block was a constant left where the builder happened to stand.
TEST(CpuRandom, IndexOfOneElementInAReduction) {
  CompiledKernel kernel(R"(
func.func @k(%a: !tile.ptr<f32>, %x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 1 : tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %j = tile.rem_s %i, %one : tensor<1xi32>
  %bound = tile.splat %n : tensor<1xi32>
  %on = arith.cmpi slt, %i, %bound : tensor<1xi32>
  %pa = tile.splat %a : tensor<1x!tile.ptr<f32>>
  %qa = tile.ptr_add %pa, %j : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  %va = tile.load %qa mask %on : tensor<1xi1> : tensor<1x!tile.ptr<f32>> -> tensor<1xf32>
  %r = tile.reduce(%va) along 0 {
  ^bb0(%p: f32, %q: f32):
    %m = arith.minnumf %p, %q : f32
    tile.yield %m : f32
  } : (tensor<1xf32>) -> f32
  tile.store %x, %r : !tile.ptr<f32>, f32
  return
})");
  ASSERT_TRUE(kernel);
  for (int n : {0, 1}) {
    float a = 2.5f, x = -1;
    kernel.run({1, 1, 1}, &a, &x, n);
    EXPECT_EQ(x, n ? 2.5f : 0.0f);
  }
}

// A store in one nest with a reduction along the outer axis has no start of a row that could be
// looked at for streaming.
TEST(CpuRandom, StoreNextToAColumnReduction) {
  CompiledKernel kernel(R"(
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %ones = arith.constant dense<1.0> : tensor<2x4xf32>
  %s = tile.reduce(%ones) along 0 {
  ^bb0(%p: f32, %q: f32):
    %m = arith.addf %p, %q : f32
    tile.yield %m : f32
  } : (tensor<2x4xf32>) -> tensor<4xf32>
  %i = tile.range 0 to 2 : tensor<2xi32>
  %j = tile.range 0 to 4 : tensor<4xi32>
  %four = arith.constant dense<4> : tensor<2xi32>
  %row = arith.muli %i, %four : tensor<2xi32>
  %r1 = tile.expand_dims %row at 1 : tensor<2xi32> -> tensor<2x1xi32>
  %r2 = tile.broadcast %r1 : tensor<2x1xi32> -> tensor<2x4xi32>
  %c1 = tile.expand_dims %j at 0 : tensor<4xi32> -> tensor<1x4xi32>
  %c2 = tile.broadcast %c1 : tensor<1x4xi32> -> tensor<2x4xi32>
  %at = arith.addi %r2, %c2 : tensor<2x4xi32>
  %px = tile.splat %x : tensor<2x4x!tile.ptr<f32>>
  %qx = tile.ptr_add %px, %at : tensor<2x4x!tile.ptr<f32>>, tensor<2x4xi32>
  tile.store %qx, %ones : tensor<2x4x!tile.ptr<f32>>, tensor<2x4xf32>
  %py = tile.splat %y : tensor<4x!tile.ptr<f32>>
  %qy = tile.ptr_add %py, %j : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %qy, %s : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
})");
  ASSERT_TRUE(kernel);
  std::vector<float> x(8, 0), y(4, 0);
  kernel.run({1, 1, 1}, x.data(), y.data());
  EXPECT_EQ(x, std::vector<float>(8, 1));
  EXPECT_EQ(y, std::vector<float>(4, 2));
}

// LLVM makes half to bfloat by way of float32, and calls a function for it.
TEST(CpuRandom, HalfReinterpretedAsBfloat) {
  CompiledKernel kernel(R"(
func.func @k(%a: !tile.ptr<f16>, %x: !tile.ptr<bf16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %on = arith.cmpi slt, %zero, %n : i32
  %other = arith.constant 1.0 : f16
  %v = tile.load %a mask %on : i1 other %other : f16 : !tile.ptr<f16> -> f16
  %w = arith.bitcast %v : f16 to bf16
  tile.store %x, %w : !tile.ptr<bf16>, bf16
  return
})");
  ASSERT_TRUE(kernel);
  for (int n : {0, 1}) {
    uint16_t a = 0x7d01, x = 0; // A NaN as half, a number as bfloat: the bits must come through.
    kernel.run({1, 1, 1}, &a, &x, n);
    EXPECT_EQ(x, n ? 0x7d01 : 0x3c00);
  }
}

// Without SSE4.1 there is no instruction that rounds to a whole number.
TEST(CpuRandom, RoundingsOnTheBaseline) {
  struct Case {
    const char *op;
    float (*expected)(float);
  };
  for (Case each :
       {Case{"floor", std::floor}, {"ceil", std::ceil}, {"trunc", std::trunc}, {"roundeven", std::nearbyint}}) {
    std::string text = R"(
func.func @k(%a: !tile.ptr<f32>, %x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %pa = tile.splat %a : tensor<8x!tile.ptr<f32>>
  %qa = tile.ptr_add %pa, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %qa : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %w = math.OP %v : tensor<8xf32>
  %px = tile.splat %x : tensor<8x!tile.ptr<f32>>
  %qx = tile.ptr_add %px, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %qx, %w : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
})";
    text.replace(text.find("OP"), 2, each.op);
    CompiledKernel kernel(text, "cpu:x86-64");
    ASSERT_TRUE(kernel) << each.op;
    const std::vector<float> a = {1.5f, -1.5f, 2.5f, -0.25f, 0.75f, 1e30f, -3, 1 << 23};
    std::vector<float> x(8, 99);
    kernel.run({1, 1, 1}, a.data(), x.data());
    for (size_t k = 0; k < a.size(); ++k)
      EXPECT_EQ(x[k], each.expected(a[k])) << each.op << " of " << a[k];
  }
}

// A block of offsets that a store had used before a gather took elements of it lay nowhere.
TEST(CpuRandom, GatherFromOffsets) {
  CompiledKernel kernel(R"(
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %five = arith.constant dense<5> : tensor<8xi32>
  %four = arith.constant dense<4> : tensor<8xi32>
  %mixed = arith.xori %i, %five : tensor<8xi32>
  %px = tile.splat %x : tensor<8x!tile.ptr<i32>>
  %qx = tile.ptr_add %px, %mixed : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %qx, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %other = arith.xori %i, %four : tensor<8xi32>
  %taken = tile.gather %mixed[%other] along 0 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  %py = tile.splat %y : tensor<8x!tile.ptr<i32>>
  %qy = tile.ptr_add %py, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %qy, %taken : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  return
})");
  ASSERT_TRUE(kernel);
  int32_t x[8] = {}, y[8] = {};
  kernel.run({1, 1, 1}, x, y);
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(x[k], k ^ 5);
    EXPECT_EQ(y[k], k ^ 4 ^ 5);
  }
}

} // namespace
} // namespace tilewise::cputest
