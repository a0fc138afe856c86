// The float types that C++ has no name for, as bits in memory that convert from and to float:
// rounding to nearest, ties to even.
#ifndef TILEWISE_FLOAT_HPP
#define TILEWISE_FLOAT_HPP

#include <cmath>
#include <cstdint>
#include <limits>

namespace tilewise {
inline namespace api {
namespace detail {

/// A binary float of `ExponentBits` and `MantissaBits` below a sign bit. Finite formats have one
/// NaN per sign, all ones, and no infinity.
template <typename Bits, int ExponentBits, int MantissaBits, bool Finite> struct SmallFloat {
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr Bits kSign = Bits(Bits(1) << (ExponentBits + MantissaBits));
  static constexpr Bits kInfinity = Bits(((1 << ExponentBits) - 1) << MantissaBits);
  static constexpr Bits kNan = Finite ? Bits(kSign - 1) : Bits(kInfinity | (1 << (MantissaBits - 1)));

  Bits bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(double value) : bits(encode(value)) {}
  operator float() const { return decode(bits); }

  /// Rounds once, from the double. Too large a value becomes infinity, or NaN where there is none.
  static Bits encode(double value) {
    const Bits sign = std::signbit(value) ? kSign : Bits(0);
    if (std::isnan(value))
      return Bits(sign | kNan);
    const double magnitude = std::fabs(value);
    if (std::isinf(magnitude))
      return Bits(sign | (Finite ? kNan : kInfinity));
    if (magnitude == 0)
      return sign;
    int exponent = std::ilogb(magnitude);
    if (exponent < 1 - kBias)
      exponent = 1 - kBias; // subnormal: the spacing of the smallest normals
    // A whole number of units in the last place: exact as a double but for the rounding asked for.
    const double units = roundToEven(std::scalbn(magnitude, MantissaBits - exponent));
    // The hidden bit of `units` adds one to the exponent field, and so does a carry of the
    // rounding.
    const std::int64_t code = std::int64_t(units) + (std::int64_t(exponent + kBias - 1) << MantissaBits);
    const std::int64_t limit = Finite ? kNan : kInfinity;
    return Bits(sign | (code >= limit ? (Finite ? kNan : kInfinity) : Bits(code)));
  }

  static float decode(Bits bits) {
    const int exponent = (bits & kInfinity) >> MantissaBits;
    const int mantissa = bits & ((1 << MantissaBits) - 1);
    const bool negative = bits & kSign;
    float magnitude;
    if (Finite ? Bits(bits & ~kSign) == kNan : exponent == (1 << ExponentBits) - 1 && mantissa != 0)
      magnitude = std::numeric_limits<float>::quiet_NaN();
    else if (!Finite && exponent == (1 << ExponentBits) - 1)
      magnitude = std::numeric_limits<float>::infinity();
    else if (exponent == 0)
      magnitude = std::scalbn(float(mantissa), 1 - kBias - MantissaBits);
    else
      magnitude = std::scalbn(float(mantissa + (1 << MantissaBits)), exponent - kBias - MantissaBits);
    return negative ? -magnitude : magnitude;
  }

private:
  /// Independent of the rounding mode, and exact for the magnitudes that occur here (below 2^53).
  static double roundToEven(double value) {
    const double floor = std::floor(value), rest = value - floor;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2.0) != 0);
    return floor + up;
  }
};

} // namespace detail

using float16 = detail::SmallFloat<std::uint16_t, 5, 10, false>;
using bfloat16 = detail::SmallFloat<std::uint16_t, 8, 7, false>;
using float8e4m3 = detail::SmallFloat<std::uint8_t, 4, 3, true>;
using float8e5m2 = detail::SmallFloat<std::uint8_t, 5, 2, false>;

} // namespace api
} // namespace tilewise

#endif
