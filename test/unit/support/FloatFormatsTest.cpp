// Small float formats against LLVM's arbitrary-precision floats, every bit pattern and every
// rounding boundary.
#include "support/FloatFormats.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>

namespace tilewise {
namespace {

struct Case {
  const char *name;
  FloatFormat format;
  const llvm::fltSemantics &semantics;
};

const Case kCases[] = {
    {"f16", kF16, llvm::APFloat::IEEEhalf()},
    {"bf16", kBF16, llvm::APFloat::BFloat()},
    {"f8E5M2", kF8E5M2, llvm::APFloat::Float8E5M2()},
    {"f8E4M3FN", kF8E4M3FN, llvm::APFloat::Float8E4M3FN()},
    {"f8E5M2FNUZ", kF8E5M2FNUZ, llvm::APFloat::Float8E5M2FNUZ()},
    {"f8E4M3FNUZ", kF8E4M3FNUZ, llvm::APFloat::Float8E4M3FNUZ()},
    {"f8E4M3B11FNUZ", kF8E4M3B11FNUZ, llvm::APFloat::Float8E4M3B11FNUZ()},
};

double oracleDecode(const Case &c, uint32_t bits) {
  llvm::APFloat value(c.semantics, llvm::APInt(c.format.bits(), bits));
  bool lost;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

uint32_t oracleEncode(const Case &c, double value) {
  llvm::APFloat x(value);
  bool lost;
  x.convert(c.semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return uint32_t(x.bitcastToAPInt().getZExtValue());
}

/// NaNs need not agree in sign and payload.
void expectSameEncoding(const Case &c, double value, uint32_t got) {
  uint32_t expected = oracleEncode(c, value);
  if (std::isnan(oracleDecode(c, expected)))
    EXPECT_TRUE(std::isnan(oracleDecode(c, got))) << c.name << " of " << value << ", got " << got;
  else
    EXPECT_EQ(got, expected) << c.name << " of " << value;
}

TEST(FloatFormats, DecodesEveryPattern) {
  for (const Case &c : kCases)
    for (uint32_t bits = 0; bits < 1u << c.format.bits(); ++bits) {
      double expected = oracleDecode(c, bits);
      float got = decodeFloat(c.format, bits);
      if (std::isnan(expected))
        ASSERT_TRUE(std::isnan(got)) << c.name << " " << bits;
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(float(expected))) << c.name << " " << bits;
    }
}

TEST(FloatFormats, RoundsAtEveryBoundary) {
  for (const Case &c : kCases) {
    // Between each value and its neighbour: both, the middle, and the doubles next to the middle.
    for (uint32_t bits = 0; bits < c.format.largestFinite(); ++bits) {
      double low = oracleDecode(c, bits), high = oracleDecode(c, bits + 1), middle = (low + high) / 2;
      for (double value : {low, middle, std::nextafter(middle, low), std::nextafter(middle, high)})
        for (double sign : {1.0, -1.0})
          expectSameEncoding(c, sign * value, encodeFloat(c.format, sign * value));
    }
    double largest = oracleDecode(c, c.format.largestFinite()),
           step = largest - oracleDecode(c, c.format.largestFinite() - 1);
    for (double value : {largest, largest + step / 4, largest + step / 2, std::nextafter(largest + step / 2, 0.0),
                         largest + step, 2 * largest, 1e300, 5e-324, 1e-300, double(INFINITY), double(NAN)})
      for (double sign : {1.0, -1.0})
        expectSameEncoding(c, sign * value, encodeFloat(c.format, sign * value));
  }
}

TEST(FloatFormats, FastPathsAgree) {
  for (uint32_t bits = 0; bits < 1u << 16; ++bits) {
    auto same = [](float a, float b) {
      return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
    };
    ASSERT_TRUE(same(decodeF16(uint16_t(bits)), decodeFloat(kF16, bits))) << bits;
    ASSERT_TRUE(same(decodeBF16(uint16_t(bits)), decodeFloat(kBF16, bits))) << bits;
  }
  // Every 4099th float (a prime, so that low bits vary), and the neighbours of each f16 and bf16
  // boundary.
  auto check = [](uint32_t bits) {
    float value = std::bit_cast<float>(bits);
    uint16_t half = encodeF16(value), brain = encodeBF16(value);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(decodeF16(half)) && std::isnan(decodeBF16(brain)));
      return;
    }
    ASSERT_EQ(half, encodeFloat(kF16, value)) << value;
    ASSERT_EQ(brain, encodeFloat(kBF16, value)) << value;
  };
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 4099)
    check(uint32_t(bits));
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 1 << 12)
    for (int64_t near : {-1, 0, 1})
      check(uint32_t(int64_t(bits) + near));
}

} // namespace
} // namespace tilewise
