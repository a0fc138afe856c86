// The device library's gamma function, compiled for the host: the same text, with the C library's
// pow and exp in place of libclc's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tilewise::device {
#include "target/nvidia/library/Gamma.cpp"
} // namespace tilewise::device

namespace tilewise {

namespace {

double ulpsOff(double x) {
  const long double wanted = tgammal(x);
  const double near = double(wanted), ulp = std::nextafter(std::fabs(near), INFINITY) - std::fabs(near);
  return double(std::fabs(device::tgamma(x) - wanted) / ulp);
}

TEST(DeviceGamma, IsWithinEightUlp) {
  std::mt19937_64 random(1);
  for (auto [low, high] : {std::pair(-170.0, -24.0), {-24.0, 24.0}, {24.0, 171.6}})
    for (int i = 0; i < 100000; ++i) {
      const double x = std::uniform_real_distribution<>(low, high)(random);
      ASSERT_LE(ulpsOff(x), 8) << x;
    }
  for (int exponent = -300; exponent < 4; ++exponent)
    for (double sign : {-1.0, 1.0})
      ASSERT_LE(ulpsOff(sign * std::ldexp(0.7, exponent)), 8) << exponent;
}

TEST(DeviceGamma, AtItsEnds) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(device::tgamma(0.0), infinity);
  EXPECT_EQ(device::tgamma(-0.0), -infinity);
  EXPECT_EQ(device::tgamma(infinity), infinity);
  EXPECT_EQ(device::tgamma(172.5), infinity);
  for (double x : {-1.0, -30.0, -1e300, -infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(std::isnan(device::tgamma(x))) << x;
  EXPECT_TRUE(std::signbit(device::tgamma(-200.5)));
  EXPECT_FALSE(std::signbit(device::tgamma(-201.5)));
  EXPECT_EQ(device::tgamma(-200.5), 0);
}

} // namespace

} // namespace tilewise
