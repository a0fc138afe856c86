// The device library's Bessel functions, compiled for the host: the same text, with the C library's
// logarithm, sine and cosine.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace tilewise::device {
#include "target/nvidia/library/Bessel.cpp"
} // namespace tilewise::device

namespace tilewise {

namespace {

/// Within 1e-14 of the value or of 1, whichever is more.
void expectNear(double got, double wanted, int order, double x) {
  if (!std::isfinite(wanted))
    EXPECT_EQ(got, wanted) << order << " at " << x;
  else
    EXPECT_LE(std::fabs(got - wanted), 1e-14 * std::fmax(1, std::fabs(wanted))) << order << " at " << x;
}

TEST(DeviceBessel, IsNearTheCLibrarys) {
  // From the least number above 0 on, past where the series, the recurrence and the asymptotic form
  // take turns.
  for (int exponent = -1074; exponent < 12; ++exponent)
    for (double fraction : {1.0, 1.37, 1.9}) {
      const double x = std::ldexp(fraction, exponent);
      for (int order : {0, 1, 2, 3, 7}) {
        expectNear(device::jn(order, x), ::jn(order, x), order, x);
        expectNear(device::jn(order, -x), ::jn(order, -x), order, -x);
        expectNear(device::yn(order, x), ::yn(order, x), order, x);
      }
    }
}

TEST(DeviceBessel, AtItsEnds) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(device::jn(0, 0.0), 1);
  EXPECT_EQ(device::jn(3, 0.0), 0);
  EXPECT_EQ(device::jn(1, infinity), 0);
  EXPECT_EQ(device::yn(1, infinity), 0);
}

} // namespace

} // namespace tilewise
