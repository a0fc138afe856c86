// The language's number types of at most 16 bits as tables of values, for tests: written from the
// formats' definitions, sharing no code with what they test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tilewise::test {

struct SmallFormat {
  std::string name; ///< As signatures have it.
  int exponentBits, mantissaBits, bias;
  enum { Ieee, OneNaN, Fnuz, NoNaN } special;

  int bits() const { return 1 + exponentBits + mantissaBits; }
  bool saturates() const { return bits() == 8; }

  double decode(uint32_t pattern) const {
    int count = 1 << bits();
    bool negative = pattern >= uint32_t(count / 2);
    int magnitude = int(pattern) % (count / 2);
    int exponent = magnitude >> mantissaBits, mantissa = magnitude % (1 << mantissaBits);
    bool top = exponent == (1 << exponentBits) - 1;
    double sign = negative ? -1 : 1;
    if (special == Ieee && top)
      return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    if ((special == OneNaN && magnitude == count / 2 - 1) || (special == Fnuz && negative && magnitude == 0))
      return std::numeric_limits<double>::quiet_NaN();
    double fraction = std::ldexp(mantissa, -mantissaBits);
    return sign * (exponent ? std::ldexp(1 + fraction, exponent - bias) : std::ldexp(fraction, 1 - bias));
  }

  /// The finite magnitudes in order; a pattern is its place.
  std::vector<double> magnitudes() const {
    std::vector<double> values;
    for (int pattern = 0; pattern < 1 << (bits() - 1); ++pattern)
      if (double value = decode(uint32_t(pattern)); std::isfinite(value))
        values.push_back(value);
    return values;
  }

  enum Rounding { Nearest, TowardZero, TiesAway };

  /// The pattern of a number that is no NaN.
  uint32_t encode(double value, Rounding rounding, const std::vector<double> &table) const {
    double magnitude = std::fabs(value);
    uint32_t sign = std::signbit(value) ? 1u << (bits() - 1) : 0, pattern;
    size_t below = size_t(std::upper_bound(table.begin(), table.end(), magnitude) - table.begin()) - 1;
    if (below + 1 == table.size()) {
      // Beyond the last: half a step further is infinity's, where there is one.
      double step = table[below] - table[below - 1];
      bool overflows = std::isinf(magnitude) || (rounding == Nearest && magnitude - table[below] >= step / 2);
      pattern = uint32_t(below + (overflows && !saturates()));
    } else {
      double down = magnitude - table[below], up = table[below + 1] - magnitude;
      bool isEven = below % 2 == 0;
      bool goesUp = rounding == TowardZero ? false : up < down || (up == down && (rounding == TiesAway || !isEven));
      pattern = uint32_t(below + goesUp);
    }
    return special == Fnuz && pattern == 0 ? 0 : sign | pattern;
  }
};

inline const std::vector<SmallFormat> &smallFormats() {
  static const std::vector<SmallFormat> formats = {
      {"fp16", 5, 10, 15, SmallFormat::Ieee},     {"bf16", 8, 7, 127, SmallFormat::Ieee},
      {"fp8e5", 5, 2, 15, SmallFormat::Ieee},     {"fp8e4nv", 4, 3, 7, SmallFormat::OneNaN},
      {"fp8e4b8", 4, 3, 8, SmallFormat::Fnuz},    {"fp8e5b16", 5, 2, 16, SmallFormat::Fnuz},
      {"fp8e4b15", 4, 3, 15, SmallFormat::NoNaN},
  };
  return formats;
}

} // namespace tilewise::test
