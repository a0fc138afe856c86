// The public small floats against exact knowledge: every code round trips, ties go to even,
// overflow and NaN as the formats say.
#include "tilewise/float.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tilewise;

namespace {

template <typename Float, typename Bits> void checkRoundTrip() {
  for (uint32_t code = 0; code < (1u << (8 * sizeof(Bits))); ++code) {
    const float value = Float::decode(Bits(code));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Float::decode(Float::encode(value))));
      continue;
    }
    ASSERT_EQ(Float::encode(value), Bits(code)) << "code " << code << " is " << value;
  }
}

TEST(SmallFloats, EveryCodeRoundTrips) {
  checkRoundTrip<float16, uint16_t>();
  checkRoundTrip<bfloat16, uint16_t>();
  checkRoundTrip<float8e4m3, uint8_t>();
  checkRoundTrip<float8e5m2, uint8_t>();
}

TEST(SmallFloats, KnownValues) {
  EXPECT_EQ(float16(65504).bits, 0x7bff);
  EXPECT_EQ(float16(65519.99).bits, 0x7bff);
  EXPECT_EQ(float16(65520).bits, 0x7c00);
  EXPECT_EQ(float16(0x1p-24).bits, 1);
  EXPECT_EQ(float16(0x1p-25).bits, 0);          // a tie with zero
  EXPECT_EQ(float16(0x1.000001p-25).bits, 1);   // just above it
  EXPECT_EQ(float16(1 + 0x1p-11).bits, 0x3c00); // a tie, down to even
  EXPECT_EQ(float16(1 + 3 * 0x1p-11).bits, 0x3c02);
  EXPECT_EQ(bfloat16(3.140625).bits, 0x4049);
  EXPECT_EQ(bfloat16(-0.0).bits, 0x8000);
  EXPECT_EQ(bfloat16(3.4028235e38).bits, 0x7f80);
  EXPECT_EQ(float8e4m3(448).bits, 0x7e);
  EXPECT_EQ(float8e4m3(500).bits, 0x7f);
  EXPECT_EQ(float8e5m2(57344).bits, 0x7b);
  EXPECT_EQ(float8e5m2(1e9).bits, 0x7c);
}

#if defined(__FLT16_MANT_DIG__)
TEST(SmallFloats, AgreesWithTheCompilersHalf) {
  for (uint32_t i = 0; i < 2000000; ++i) {
    const uint32_t bits = i * 2654435761u;
    float value;
    std::memcpy(&value, &bits, 4);
    if (std::isnan(value))
      continue;
    const _Float16 half = static_cast<_Float16>(value);
    uint16_t expected;
    std::memcpy(&expected, &half, 2);
    ASSERT_EQ(float16(value).bits, expected) << value;
  }
}
#endif

} // namespace
