// tl.dot and tl.dot_scaled against sums in double: batches, every operand type, mixed 8-bit floats,
// packed numbers with shared scales.
#include "language/LanguageTest.h"

#include "support/FloatFormats.h"

using namespace tilewise::literals;

namespace tilewise::test {
namespace {

class Dots : public OnHost {};

TEST_P(Dots, OfBatches) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(a, b, c, ACC: tl.constexpr):
    i = tl.arange(0, 2)[:, None, None]
    x = tl.load(a + i * 32 + tl.arange(0, 4)[None, :, None] * 8 + tl.arange(0, 8)[None, None, :])
    y = tl.load(b + i * 128 + tl.arange(0, 8)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :])
    o = i * 64 + tl.arange(0, 4)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :]
    if ACC:
        # Two batch dimensions are one.
        z = tl.dot(tl.reshape(x, (2, 1, 4, 8)), tl.reshape(y, (2, 1, 8, 16)), tl.full((2, 1, 4, 16), 3.0, tl.float32), input_precision="ieee")
        tl.store(c + o, tl.reshape(z, (2, 4, 16)))
    else:
        tl.store(c + o, tl.dot(x, y, input_precision="ieee"))
)");
  std::vector<float> a = spreadAs<float>(64, -2, 2, 1), b = spreadAs<float>(256, -2, 2, 2);
  Tensor c = zeros<float>({2, 4, 16});
  for (bool acc : {false, true}) {
    k[1](tensor(a), tensor(b), c, acc);
    std::vector<float> got = c.toVector<float>();
    for (int i = 0; i < 2; ++i)
      for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 16; ++n) {
          double sum = acc ? 3 : 0;
          for (int d = 0; d < 8; ++d)
            sum += double(a[i * 32 + m * 8 + d]) * b[i * 128 + d * 16 + n];
          EXPECT_NEAR(got[i * 64 + m * 16 + n], sum, 1e-5) << i << ", " << m << ", " << n;
        }
  }
}

// Spelled as a sum of products, in all orders of the three dimensions.
TEST_P(Dots, AsSumsOfProducts) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(a, b, c, ORDER: tl.constexpr):
    m, n, d = tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 64)
    if ORDER == 0:
        x = tl.load(a + m[:, None] * 64 + d[None, :])[:, :, None]
        y = tl.load(b + d[:, None] * 32 + n[None, :])[None, :, :]
        z = tl.sum(x * y, axis=1)
    elif ORDER == 1:
        x = tl.load(a + m[:, None] * 64 + d[None, :])[:, None, :]
        y = tl.load(b + d[None, :] * 32 + n[:, None])[None, :, :]
        z = tl.sum(y * x, axis=2)
    elif ORDER == 2:
        x = tl.load(a + m[None, :] * 64 + d[:, None])[:, :, None]
        y = tl.load(b + d[:, None] * 32 + n[None, :])[:, None, :]
        z = tl.sum(x * y, axis=0)
    else:
        x = tl.load(a + m[None, :] * 64 + d[:, None])[:, None, :]
        y = tl.load(b + d[:, None] * 32 + n[None, :])[:, :, None]
        z = tl.trans(tl.sum(x * y, axis=0))
    tl.store(c + m[:, None] * 32 + n[None, :], z)
)");
  std::vector<float> a = spreadAs<float>(16 * 64, -2, 2, 1), b = spreadAs<float>(64 * 32, -2, 2, 2);
  for (int order : {0, 1, 2, 3}) {
    Tensor c = zeros<float>({16, 32});
    k[1](tensor(a), tensor(b), c, order);
    std::vector<float> got = c.toVector<float>();
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 32; ++n) {
        double sum = 0;
        for (int d = 0; d < 64; ++d)
          sum += double(a[m * 64 + d]) * b[d * 32 + n];
        EXPECT_NEAR(got[m * 32 + n], sum, 1e-4) << order << ": " << m << ", " << n;
      }
  }
}

/// A 16 x 32 @ 32 x 16 dot over bytes of any meaning; `decode` gives each operand's numbers.
struct ByteDot {
  std::vector<uint8_t> a, b;
  ByteDot(uint32_t seed) {
    for (int i = 0; i < 512; ++i) {
      seed = seed * 1664525 + 1013904223;
      a.push_back(uint8_t(seed >> 24));
      b.push_back(uint8_t(seed >> 16));
    }
  }
  template <typename DecodeA, typename DecodeB> double at(int m, int n, DecodeA x, DecodeB y) const {
    double sum = 0;
    for (int d = 0; d < 32; ++d)
      sum += double(x(a[m * 32 + d])) * double(y(b[d * 16 + n]));
    return sum;
  }
};

const char *const kByteDot = R"(
@triton.jit
def k(a, b, c, A: tl.constexpr, B: tl.constexpr):
    x = tl.load(a + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]).to(A, bitcast=True)
    y = tl.load(b + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :]).to(B, bitcast=True)
    tl.store(c + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], tl.dot(x, y))
)";

TEST(DotsOnReference, OfInt8AreExact) {
  ByteDot bytes(7);
  Tensor c(DType::Int32, {16, 16}, Device("reference"));
  kernelOf(kByteDot)[1].on(Device("reference"))(bytes.a.data(), bytes.b.data(), c, constant("tl.int8"),
                                                constant("tl.int8"));
  std::vector<int32_t> got = c.toVector<int32_t>();
  auto asInt8 = [](uint8_t bits) { return int8_t(bits); };
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n)
      EXPECT_EQ(got[m * 16 + n], bytes.at(m, n, asInt8, asInt8)) << m << ", " << n;
}

TEST(DotsOnReference, OfEveryPairOfFp8) {
  struct Format {
    const char *name;
    FloatFormat format;
  };
  const Format formats[] = {{"tl.float8e4nv", kF8E4M3FN},
                            {"tl.float8e5", kF8E5M2},
                            {"tl.float8e4b8", kF8E4M3FNUZ},
                            {"tl.float8e5b16", kF8E5M2FNUZ}};
  Kernel k = kernelOf(kByteDot);
  Tensor c(DType::Float32, {16, 16}, Device("reference"));
  for (const Format &left : formats)
    for (const Format &right : formats) {
      ByteDot bytes(11);
      // Without the largest exponents: no NaN, no infinity, and sums that fp32 holds well.
      for (std::vector<uint8_t> *side : {&bytes.a, &bytes.b})
        for (uint8_t &byte : *side)
          byte &= 0xbf;
      for (uint8_t &byte : bytes.a)
        byte = byte == 0x80 ? 0 : byte;
      for (uint8_t &byte : bytes.b)
        byte = byte == 0x80 ? 0 : byte;
      k[1].on(Device("reference"))(bytes.a.data(), bytes.b.data(), c, constant(left.name), constant(right.name));
      std::vector<float> got = c.toVector<float>();
      auto decodeLeft = [&](uint8_t bits) { return decodeFloat(left.format, bits); };
      auto decodeRight = [&](uint8_t bits) { return decodeFloat(right.format, bits); };
      for (int m = 0; m < 16; ++m)
        for (int n = 0; n < 16; ++n) {
          double expected = bytes.at(m, n, decodeLeft, decodeRight);
          EXPECT_EQ(got[m * 16 + n], float(expected)) << left.name << " x " << right.name << " at " << m << ", " << n;
        }
    }
}

/// The values of the small formats from their definition: (-1)^s * 2^(e - bias) * 1.m, or without
/// the hidden one for e = 0.
double smallFloat(unsigned bits, unsigned exponentBits, unsigned mantissaBits, int bias) {
  unsigned mantissa = bits & ((1u << mantissaBits) - 1), exponent = bits >> mantissaBits & ((1u << exponentBits) - 1);
  double sign = bits >> (mantissaBits + exponentBits) & 1 ? -1 : 1, fraction = mantissa / double(1u << mantissaBits);
  return sign * (exponent ? std::ldexp(1 + fraction, int(exponent) - bias) : std::ldexp(fraction, 1 - bias));
}

class ScaledDots : public testing::TestWithParam<const char *> {};

const char *const kScaledDot = R"(
@triton.jit
def k(a, sa, b, sb, c, FA: tl.constexpr, FB: tl.constexpr, KA: tl.constexpr, KB: tl.constexpr, G: tl.constexpr,
      MA: tl.constexpr, NB: tl.constexpr, PA: tl.constexpr, PB: tl.constexpr):
    x = tl.load(a + tl.arange(0, MA)[:, None] * KA + tl.arange(0, KA)[None, :])
    y = tl.load(b + tl.arange(0, KB)[:, None] * NB + tl.arange(0, NB)[None, :])
    s = tl.arange(0, 16)[:, None] * (64 // G) + tl.arange(0, 64 // G)[None, :]
    z = tl.dot_scaled(x, tl.load(sa + s) if sa is not None else None, FA, y, tl.load(sb + s) if sb is not None else None, FB,
                      acc=tl.full((16, 16), 1.0, tl.float32), lhs_k_pack=PA, rhs_k_pack=PB)
    tl.store(c + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], z)
)";

/// One operand of a scaled dot as bytes, and its numbers as [16][64].
struct ScaledOperand {
  std::vector<uint8_t> bytes;
  double numbers[16][64];

  /// `alongK`: two neighbours along K share a byte, else two along the other dimension; `kIsRow`:
  /// bytes are stored as [64][16].
  ScaledOperand(const std::string &format, bool alongK, bool kIsRow, uint32_t seed) {
    bool isFp4 = format == "e2m1";
    int rows = isFp4 && !alongK ? 8 : 16, depth = isFp4 && alongK ? 32 : 64;
    bytes.resize(size_t(rows) * depth);
    for (uint8_t &byte : bytes) {
      seed = seed * 1664525 + 1013904223;
      byte = uint8_t(seed >> 24);
      if (format == "e5m2" || format == "e4m3")
        byte &= 0xb7; // finite, and of moderate size
      if (format == "e2m3" || format == "e3m2")
        byte &= 0x3f;
    }
    for (int r = 0; r < 16; ++r)
      for (int d = 0; d < 64; ++d) {
        int byteRow = isFp4 && !alongK ? r / 2 : r, byteDepth = isFp4 && alongK ? d / 2 : d;
        unsigned byte = bytes[size_t(kIsRow ? byteDepth * rows + byteRow : byteRow * depth + byteDepth)];
        if (isFp4)
          byte = byte >> ((alongK ? d : r) % 2 * 4) & 15;
        numbers[r][d] = isFp4              ? smallFloat(byte, 2, 1, 1)
                        : format == "e2m3" ? smallFloat(byte, 2, 3, 1)
                        : format == "e3m2" ? smallFloat(byte, 3, 2, 3)
                        : format == "e4m3" ? smallFloat(byte, 4, 3, 7)
                                           : smallFloat(byte, 5, 2, 15);
      }
  }
};

TEST_P(ScaledDots, AreExactSums) {
  const std::string format = GetParam();
  Kernel k = kernelOf(kScaledDot);
  const Device reference("reference");
  for (const char *other : {"e2m1", "e4m3", "e5m2"})
    for (int group : {16, 32})
      for (bool alongK : {true, false}) {
        const bool packA = alongK || format != "e2m1", packB = alongK || std::string(other) != "e2m1";
        ScaledOperand a(format, packA, false, 3), b(other, packB, true, 5);
        std::vector<uint8_t> sa(16 * 64 / group), sb(16 * 64 / group);
        for (size_t i = 0; i < sa.size(); ++i) {
          sa[i] = uint8_t(124 + i % 7);
          sb[i] = uint8_t(130 - i % 5);
        }
        Tensor c(DType::Float32, {16, 16}, reference);
        const bool fp4A = format == "e2m1", fp4B = std::string(other) == "e2m1";
        k[1].on(reference)(a.bytes.data(), sa.data(), b.bytes.data(), sb.data(), c, tilewise::quoted(format),
                           tilewise::quoted(other), fp4A && packA ? 32 : 64, fp4B && packB ? 32 : 64, group,
                           fp4A && !packA ? 8 : 16, fp4B && !packB ? 8 : 16, packA, packB);
        std::vector<float> got = c.toVector<float>();
        for (int m = 0; m < 16; ++m)
          for (int n = 0; n < 16; ++n) {
            double sum = 1, magnitude = 1;
            for (int d = 0; d < 64; ++d) {
              double product = a.numbers[m][d] * std::ldexp(1, sa[size_t(m * 64 + d) / group] - 127) * b.numbers[n][d] *
                               std::ldexp(1, sb[size_t(n * 64 + d) / group] - 127);
              sum += product;
              magnitude += std::fabs(product);
            }
            EXPECT_NEAR(got[m * 16 + n], sum, magnitude * 0x1p-23)
                << format << " x " << other << ", groups of " << group << ", at " << m << ", " << n;
          }
      }
}

INSTANTIATE_TEST_SUITE_P(Formats, ScaledDots, testing::Values("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"),
                         [](const auto &info) { return std::string(info.param); });

TEST(ScaledDotsOnReference, ScalesAtTheirEnds) {
  // Scale 255 is NaN, 0 is 2^-127; a scale that is None is 1.
  Kernel k = kernelOf(R"(
@triton.jit
def k(s, c, NONE: tl.constexpr):
    x = tl.full((16, 32), 0x3838, tl.uint16).to(tl.uint8)
    scale = tl.load(s + tl.arange(0, 16)[:, None])
    y = tl.full((32, 16), 1.0, tl.bfloat16)
    z = tl.dot_scaled(x, None if NONE else scale, "e4m3", y, None, "bf16")
    tl.store(c + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], z)
)");
  std::vector<uint8_t> scales(16, 127);
  scales[1] = 255;
  scales[2] = 0;
  scales[3] = 254;
  Tensor c(DType::Float32, {16, 16}, Device("reference"));
  k[1].on(Device("reference"))(scales.data(), c, false);
  std::vector<float> got = c.toVector<float>();
  EXPECT_EQ(got[0], 32);
  EXPECT_TRUE(std::isnan(got[16]));
  EXPECT_EQ(got[32], std::ldexp(32.f, -127));
  EXPECT_TRUE(std::isinf(got[48])); // 32 * 2^127 is beyond fp32.
  k[1].on(Device("reference"))(scales.data(), c, true);
  EXPECT_EQ(c.toVector<float>(), std::vector<float>(256, 32));
}

TILEWISE_ON_HOST(Dots);

} // namespace
} // namespace tilewise::test
