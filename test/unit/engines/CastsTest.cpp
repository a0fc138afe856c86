// Conversions: extension, truncation, rounding, saturation, bits.
#include "engines/RunKernel.h"
#include "support/FloatFormats.h"

#include <cmath>
#include <limits>

namespace tilewise::engines {
namespace {

class Casts : public OnEngine {};
ON_EACH_ENGINE(Casts);

TEST_P(Casts, BetweenIntegers) {
  std::vector<int8_t> bytes = {0, 1, -1, 127, -128};
  EXPECT_EQ((runUnary<int32_t>("i8", "i32", "arith.extsi", bytes)), (std::vector<int32_t>{0, 1, -1, 127, -128}));
  EXPECT_EQ((runUnary<int32_t>("i8", "i32", "arith.extui", bytes)), (std::vector<int32_t>{0, 1, 255, 127, 128}));
  std::vector<int64_t> longs = {0, -1, 0x1234567890, INT64_MIN};
  EXPECT_EQ((runUnary<int16_t>("i64", "i16", "arith.trunci", longs)), (std::vector<int16_t>{0, -1, 0x7890, 0}));
  EXPECT_EQ((runUnary<uint8_t>("i64", "i1", "arith.trunci", longs)), (std::vector<uint8_t>{0, 1, 0, 0}));
  std::vector<uint8_t> bools = {0, 1};
  EXPECT_EQ((runUnary<int64_t>("i1", "i64", "arith.extsi", bools)), (std::vector<int64_t>{0, -1}));
  EXPECT_EQ((runUnary<int64_t>("i1", "i64", "arith.extui", bools)), (std::vector<int64_t>{0, 1}));
}

TEST_P(Casts, FloatToSignedSaturates) {
  std::vector<float> x = {0.0f,           -0.0f, 1.9f,  -1.9f,    2147483520.0f, 2147483648.0f,
                          -2147483648.0f, -3e9f, 1e30f, INFINITY, -INFINITY,     NAN};
  EXPECT_EQ((runUnary<int32_t>("f32", "i32", "tile.fp_to_si", x)),
            (std::vector<int32_t>{0, 0, 1, -1, 2147483520, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX,
                                  INT32_MIN, 0}));
  std::vector<float> small = {127.9f, 128.0f, -128.9f, -129.0f, NAN};
  EXPECT_EQ((runUnary<int8_t>("f32", "i8", "tile.fp_to_si", small)), (std::vector<int8_t>{127, 127, -128, -128, 0}));
  std::vector<double> large = {9.3e18, -9.3e18, 9223372036854774784.0, -0.5};
  EXPECT_EQ((runUnary<int64_t>("f64", "i64", "tile.fp_to_si", large)),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN, 9223372036854774784, 0}));
}

TEST_P(Casts, FloatToUnsignedSaturates) {
  std::vector<float> x = {0.0f, -0.9f, -1.0f, 1.9f, 4294967040.0f, 4294967296.0f, INFINITY, -INFINITY, NAN};
  EXPECT_EQ((runUnary<uint32_t>("f32", "i32", "tile.fp_to_ui", x)),
            (std::vector<uint32_t>{0, 0, 0, 1, 4294967040u, UINT32_MAX, UINT32_MAX, 0, 0}));
  std::vector<double> large = {1.9e19, 18446744073709549568.0, 255.9};
  EXPECT_EQ((runUnary<uint64_t>("f64", "i64", "tile.fp_to_ui", large)),
            (std::vector<uint64_t>{UINT64_MAX, 18446744073709549568u, 255}));
  EXPECT_EQ((runUnary<uint8_t>("f64", "i8", "tile.fp_to_ui", large)), (std::vector<uint8_t>{255, 255, 255}));
  std::vector<uint16_t> half = {0x7bff, 0x3c00};
  EXPECT_EQ((runUnary<uint8_t>("f16", "i8", "tile.fp_to_ui", half)), (std::vector<uint8_t>{255, 1}));
}

TEST_P(Casts, IntegerToFloatRoundsOnce) {
  std::vector<int64_t> x = {0, -1, 16777217, INT64_MAX, INT64_MIN, (int64_t(1) << 62) + (int64_t(1) << 38) + 1};
  auto f32 = runUnary<float>("i64", "f32", "arith.sitofp", x);
  auto f64 = runUnary<double>("i64", "f64", "arith.sitofp", x);
  auto unsignedF32 = runUnary<float>("i64", "f32", "arith.uitofp", x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(f32[i], float(x[i]));
    EXPECT_EQ(f64[i], double(x[i]));
    EXPECT_EQ(unsignedF32[i], float(uint64_t(x[i])));
  }
  // 2^62 + 2^54 is halfway between two bf16; one more tips it. By way of f32 the one would be lost.
  std::vector<int64_t> tie = {(int64_t(1) << 62) + (int64_t(1) << 54), (int64_t(1) << 62) + (int64_t(1) << 54) + 1};
  EXPECT_EQ((runUnary<uint16_t>("i64", "bf16", "arith.sitofp", tie)), (std::vector<uint16_t>{0x5e80, 0x5e81}));
  std::vector<int32_t> ints = {65504, 65519, 65520, -3};
  EXPECT_EQ((runUnary<uint16_t>("i32", "f16", "arith.sitofp", ints)),
            (std::vector<uint16_t>{0x7bff, 0x7bff, 0x7c00, 0xc200}));
  std::vector<uint8_t> bools = {0, 1};
  EXPECT_EQ((runUnary<float>("i1", "f32", "arith.uitofp", bools)), (std::vector<float>{0, 1}));
  EXPECT_EQ((runUnary<float>("i1", "f32", "arith.sitofp", bools)), (std::vector<float>{0, -1}));
}

TEST_P(Casts, BetweenFloats) {
  // 1 + 2^-11 is halfway between two f16, and the bit below breaks the tie; in f64 it lies below
  // f32's last bit.
  std::vector<double> x = {1.0 + 0x1p-11, 1.0 + 0x1p-11 + 0x1p-40, 1e-8, 65520.0, -INFINITY};
  EXPECT_EQ((runUnary<uint16_t>("f64", "f16", "arith.truncf", x)),
            (std::vector<uint16_t>{0x3c00, 0x3c01, 0x0000, 0x7c00, 0xfc00}));
  std::vector<float> f = {1.0f, 448.0f, 464.0f, 480.0f, 0.001953125f, -0.0f};
  // f8E4M3FN has no infinity: above 464, the tie that goes down to the even 448, is its NaN.
  EXPECT_EQ((runUnary<uint8_t>("f32", "f8E4M3FN", "arith.truncf", f)),
            (std::vector<uint8_t>{0x38, 0x7e, 0x7e, 0x7f, 0x01, 0x80}));
  EXPECT_EQ((runUnary<uint8_t>("f32", "f8E5M2", "arith.truncf", f)),
            (std::vector<uint8_t>{0x3c, 0x5f, 0x5f, 0x60, 0x18, 0x80}));
  std::vector<uint8_t> all(256);
  for (int i = 0; i < 256; ++i)
    all[i] = uint8_t(i);
  auto wide = runUnary<float>("f8E5M2", "f32", "arith.extf", all);
  auto half = runUnary<uint16_t>("f8E5M2", "f16", "arith.extf", all);
  for (int i = 0; i < 256; ++i) {
    // The upper byte of an f16 is an f8E5M2.
    float expected = decodeF16(uint16_t(i << 8));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide[i]));
      continue;
    }
    EXPECT_EQ(wide[i], expected);
    EXPECT_EQ(half[i], i << 8);
  }
}

TEST_P(Casts, BitsStayTheSame) {
  std::vector<float> x = {1.0f, -0.0f, NAN};
  auto bits = runUnary<uint32_t>("f32", "i32", "arith.bitcast", x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(bits[i], std::bit_cast<uint32_t>(x[i]));
}

TEST_P(Casts, PointersAsNumbers) {
  std::string text = R"(
func.func @pointers(%p: !tile.ptr<i32>, %out: !tile.ptr<i64>) attributes {tile.kernel} {
  %c3 = arith.constant 3 : i32
  %q = tile.ptr_add %p, %c3 : !tile.ptr<i32>, i32
  %address = tile.ptr_to_int %q : !tile.ptr<i32> -> i64
  tile.store %out, %address : !tile.ptr<i64>, i64
  %back = tile.int_to_ptr %address : i64 -> !tile.ptr<i32>
  %bytes = tile.ptr_cast %back : !tile.ptr<i32> -> !tile.ptr<i8>
  %c1 = arith.constant 1 : i64
  %minus = arith.constant -1 : i8
  %second = tile.ptr_add %bytes, %c1 : !tile.ptr<i8>, i64
  tile.store %second, %minus : !tile.ptr<i8>, i8
  return
})";
  std::vector<int32_t> memory(4);
  std::vector<int64_t> out(1);
  runKernel(text, {1, 1, 1}, memory, out);
  EXPECT_EQ(out[0], int64_t(uintptr_t(&memory[3])));
  EXPECT_EQ(memory[3], 0xff00);
}

} // namespace
} // namespace tilewise::engines
