// Every pair of bytes: fp8 values through comparisons, minimum and maximum; ints through
// arithmetic, shifts and division.
#include "engines/RunSource.h"
#include "engines/SmallFormats.h"

#include <functional>

namespace tilewise::engines {
namespace {

class EveryPair : public OnEngine {};
ON_EACH_ENGINE(EveryPair);

using test::SmallFormat;
using test::smallFormats;

struct Pairs {
  std::vector<uint8_t> a = std::vector<uint8_t>(65536), b = a, out = a;
  Pairs() {
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = uint8_t(i);
      b[i] = uint8_t(i >> 8);
    }
  }

  /// out = expression over x and y, loaded from all pairs of `type`, stored as `result`.
  void run(const std::string &expression, const std::string &type, const std::string &result) {
    std::string text = "@triton.jit\ndef k(a, b, out):\n    at = tl.arange(0, 65536)\n    x = tl.load(a + at)\n"
                       "    y = tl.load(b + at)\n    tl.store(out + at, " +
                       expression + ")\n";
    runSource(text, "*" + type + ", *" + type + ", *" + result, a, b, out);
  }
};

TEST_P(EveryPair, Fp8Comparisons) {
  using Compare = std::function<bool(double, double)>;
  const std::pair<const char *, Compare> operators[] = {
      {"x == y", std::equal_to<>()},   {"x != y", std::not_equal_to<>()}, {"x < y", std::less<>()},
      {"x <= y", std::less_equal<>()}, {"x > y", std::greater<>()},       {"x >= y", std::greater_equal<>()}};
  Pairs pairs;
  for (const SmallFormat &format : smallFormats()) {
    if (format.bits() != 8 || format.special == SmallFormat::NoNaN)
      continue;
    std::vector<double> values(256);
    for (uint32_t i = 0; i < 256; ++i)
      values[i] = format.decode(i);
    for (const auto &[text, expected] : operators) {
      pairs.run(text, format.name, "i1");
      for (size_t i = 0; i < 65536; ++i)
        ASSERT_EQ(bool(pairs.out[i]), expected(values[pairs.a[i]], values[pairs.b[i]]))
            << format.name << " " << values[pairs.a[i]] << text << values[pairs.b[i]];
    }
    for (bool isMax : {false, true}) {
      // A NaN loses; the zeros are ordered by their signs.
      pairs.run(isMax ? "tl.maximum(x, y)" : "tl.minimum(x, y)", format.name, format.name);
      for (size_t i = 0; i < 65536; ++i) {
        double x = values[pairs.a[i]], y = values[pairs.b[i]], got = values[pairs.out[i]];
        double expected = std::isnan(x) ? y : std::isnan(y) ? x : isMax ? std::max(x, y) : std::min(x, y);
        if (x == 0 && y == 0)
          expected = (std::signbit(x) || std::signbit(y)) != isMax || (std::signbit(x) && std::signbit(y)) ? -0.0 : 0.0;
        if (x == 0 && y == 0 && !std::signbit(x) && !std::signbit(y))
          expected = 0.0;
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(got)
                                         : got == expected && std::signbit(got) == std::signbit(expected))
            << format.name << (isMax ? " max " : " min ") << x << " " << y << " gave " << got;
      }
    }
  }
}

/// A NaN is skipped in whichever place and however it is written, a signalling one too; the zeros
/// are ordered by their signs.
TEST_P(EveryPair, ReductionsSkipNaN) {
  const std::vector<uint32_t> specials = {0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345, 0x00000000,
                                          0x80000000, 0x7f800000, 0xff800000, 0x3f800000, 0xbf800000};
  constexpr size_t length = 256, rows = 64;
  std::vector<float> x(rows * length), top(rows), low(rows);
  uint32_t state = 1;
  for (float &value : x) {
    // Rows of few kinds of value, so that some have nothing but NaN, or zeros and NaN.
    state = state * 1664525u + 1013904223u;
    const size_t row = size_t(&value - x.data()) / length, kinds = 1 + row % specials.size();
    value = llvm::bit_cast<float>(specials[(row / specials.size() + (state >> 16) % kinds) % specials.size()]);
  }
  runSource("@triton.jit\ndef k(x, top, low):\n    for row in range(64):\n"
            "        v = tl.load(x + row * 256 + tl.arange(0, 256))\n"
            "        tl.store(top + row, tl.max(v, axis=0))\n        tl.store(low + row, tl.min(v, axis=0))\n",
            "*fp32, *fp32, *fp32", x, top, low);
  for (size_t row = 0; row < rows; ++row) {
    float highest = NAN, lowest = NAN;
    for (size_t i = 0; i < length; ++i) {
      float value = x[row * length + i];
      if (std::isnan(value))
        continue;
      if (std::isnan(highest) || value > highest || (value == highest && !std::signbit(value)))
        highest = value;
      if (std::isnan(lowest) || value < lowest || (value == lowest && std::signbit(value)))
        lowest = value;
    }
    for (auto [got, expected] : {std::pair(top[row], highest), std::pair(low[row], lowest)})
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got)
                                       : got == expected && std::signbit(got) == std::signbit(expected))
          << "row " << row << ": " << got << " instead of " << expected;
  }
}

TEST_P(EveryPair, Fp8E4B15HasNoArithmetic) {
  for (const char *expression : {"x + y", "x < y", "-x", "tl.maximum(x, y)", "tl.fma(x, y, x)"}) {
    std::string message;
    EXPECT_FALSE(loadSource(
        "@triton.jit\ndef k(a):\n    x = tl.load(a)\n    y = tl.load(a + 1)\n    z = " + std::string(expression) + "\n",
        "*fp8e4b15", &message));
    EXPECT_NE(message.find("cast with .to(tl.float16) first"), std::string::npos) << expression << "\n" << message;
  }
  Pairs pairs;
  pairs.run("tl.where(x.to(tl.float16) < y.to(tl.float16), x, y)", "fp8e4b15", "fp8e4b15");
  const SmallFormat &format = smallFormats()[6];
  for (size_t i = 0; i < 65536; ++i) {
    bool first = format.decode(pairs.a[i]) < format.decode(pairs.b[i]);
    ASSERT_EQ(pairs.out[i], first ? pairs.a[i] : pairs.b[i]) << i;
  }
  pairs.run("tl.abs(x)", "fp8e4b15", "fp8e4b15");
  for (size_t i = 0; i < 65536; ++i)
    ASSERT_EQ(pairs.out[i], pairs.a[i] & 0x7f);
}

TEST_P(EveryPair, Bytes) {
  struct Case {
    const char *text;
    int (*ofSigned)(int x, int y), (*ofUnsigned)(int x, int y);
  };
  auto shiftLeft = [](int x, int y) { return y < 0 || y >= 8 ? 0 : x << y; };
  const Case cases[] = {
      {"x + y", [](int x, int y) { return x + y; }, [](int x, int y) { return x + y; }},
      {"x - y", [](int x, int y) { return x - y; }, [](int x, int y) { return x - y; }},
      {"x * y", [](int x, int y) { return x * y; }, [](int x, int y) { return x * y; }},
      // Division by zero gives all ones and leaves the dividend; the rest truncates.
      {"x // y", [](int x, int y) { return y ? x / y : -1; }, [](int x, int y) { return y ? x / y : 255; }},
      {"x % y", [](int x, int y) { return y ? x % y : x; }, [](int x, int y) { return y ? x % y : x; }},
      {"x & y", [](int x, int y) { return x & y; }, [](int x, int y) { return x & y; }},
      {"x | y", [](int x, int y) { return x | y; }, [](int x, int y) { return x | y; }},
      {"x ^ y", [](int x, int y) { return x ^ y; }, [](int x, int y) { return x ^ y; }},
      // A shift amount is unsigned; by eight or more everything is gone, but for the sign.
      {"x << y", shiftLeft, shiftLeft},
      {"x >> y", [](int x, int y) { return y < 0 || y >= 8 ? (x < 0 ? -1 : 0) : x >> y; },
       [](int x, int y) { return y >= 8 ? 0 : x >> y; }},
      {"tl.minimum(x, y)", [](int x, int y) { return x < y ? x : y; }, [](int x, int y) { return x < y ? x : y; }},
      {"tl.maximum(x, y)", [](int x, int y) { return x > y ? x : y; }, [](int x, int y) { return x > y ? x : y; }},
      {"-x", [](int x, int) { return -x; }, [](int x, int) { return -x; }},
      {"~x", [](int x, int) { return ~x; }, [](int x, int) { return ~x; }},
      {"tl.abs(x)", [](int x, int) { return x < 0 ? -x : x; }, [](int x, int) { return x; }},
      {"tl.cdiv(x, y)",
       [](int x, int y) {
         int sum = int8_t(int8_t(x + y) - 1);
         return y ? sum / y : -1;
       },
       [](int x, int y) { return y ? uint8_t(x + y - 1) / y : 255; }},
  };
  Pairs pairs;
  for (const Case &each : cases)
    for (bool isSigned : {false, true}) {
      std::string type = isSigned ? "i8" : "u8";
      pairs.run(each.text, type, type);
      for (size_t i = 0; i < 65536; ++i) {
        int x = isSigned ? int8_t(pairs.a[i]) : pairs.a[i], y = isSigned ? int8_t(pairs.b[i]) : pairs.b[i];
        ASSERT_EQ(pairs.out[i], uint8_t((isSigned ? each.ofSigned : each.ofUnsigned)(x, y)))
            << type << " x = " << x << ", y = " << y << ": " << each.text;
      }
    }
}

} // namespace
} // namespace tilewise::engines
