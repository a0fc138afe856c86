// Every pattern of 8 and 16 bits through every cast of the language: all float formats, both
// roundings, all ints.
#include "engines/RunSource.h"
#include "engines/SmallFormats.h"

#include <bit>
#include <cstring>

namespace tilewise::engines {
namespace {

using test::SmallFormat;
using test::smallFormats;

const char *kCast = R"(
@triton.jit
def k(source, target, N: tl.constexpr, ROUNDING: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(source + at)
    tl.store(target + at, x.to(target.dtype.element_ty, fp_downcast_rounding=ROUNDING))
)";

/// A source type: what each of its patterns is worth.
struct Source {
  std::string name;
  int bits;
  bool isFloat;
  std::vector<double> values;
};

std::vector<Source> sources() {
  std::vector<Source> result;
  for (const SmallFormat &format : smallFormats()) {
    Source source{format.name, format.bits(), true, {}};
    for (uint32_t pattern = 0; pattern < 1u << format.bits(); ++pattern)
      source.values.push_back(format.decode(pattern));
    result.push_back(source);
  }
  for (int bits : {8, 16})
    for (bool isSigned : {false, true}) {
      Source source{(isSigned ? "i" : "u") + std::to_string(bits), bits, false, {}};
      for (int pattern = 0; pattern < 1 << bits; ++pattern)
        source.values.push_back(isSigned && pattern >= 1 << (bits - 1) ? pattern - (1 << bits) : pattern);
      result.push_back(source);
    }
  return result;
}

/// The bytes that the kernel stored, as one number per element.
std::vector<uint64_t> castAll(const Source &source, const std::string &target, int targetBits, const char *rounding) {
  size_t count = source.values.size();
  std::vector<uint8_t> in(count * source.bits / 8), out(count * std::max(targetBits, 8) / 8, 0xaa);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&in[i * source.bits / 8], &i, source.bits / 8);
  std::string constant = rounding ? "'" + std::string(rounding) + "'" : "None";
  runSource(kCast, "*" + source.name + ", *" + target + ", " + std::to_string(count) + ", " + constant, in, out);
  std::vector<uint64_t> result(count);
  size_t bytes = out.size() / count;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&result[i], &out[i * bytes], bytes);
  return result;
}

/// fp8e4b15 is reached through fp16, and fp16 from what is wider by cutting.
uint32_t encodeE4B15(const Source &source, double value) {
  static const std::vector<double> half = smallFormats()[0].magnitudes(), table = smallFormats()[6].magnitudes();
  const SmallFormat &e4b15 = smallFormats()[6];
  if (source.name != "fp16")
    value = smallFormats()[0].decode(smallFormats()[0].encode(value, SmallFormat::TowardZero, half));
  value = std::copysign(std::min(std::fabs(value), 1.75), value);
  return e4b15.encode(value, SmallFormat::TiesAway, table);
}

class EveryCast : public testing::TestWithParam<std::tuple<Source, Engine>> {
protected:
  EveryCast() { engineUnderTest = std::get<Engine>(GetParam()); }
  ~EveryCast() override { engineUnderTest = Engine::Reference; }
};

TEST_P(EveryCast, ToSmallFloats) {
  const Source &source = std::get<Source>(GetParam());
  for (const SmallFormat &format : smallFormats()) {
    std::vector<double> table = format.magnitudes();
    std::vector<const char *> roundings = {nullptr};
    if (source.isFloat && source.bits > format.bits())
      roundings.insert(roundings.end(), {"rtne", "rtz"});
    for (const char *rounding : roundings) {
      std::vector<uint64_t> got = castAll(source, format.name, format.bits(), rounding);
      bool toZero = rounding && std::string(rounding) == "rtz";
      int wrong = 0;
      for (size_t i = 0; i < got.size() && wrong < 3; ++i) {
        double value = source.values[i];
        if (format.name == source.name) {
          wrong += got[i] != i;
          EXPECT_EQ(got[i], i);
          continue;
        }
        if (std::isnan(value)) {
          // In a format without NaN it is the largest number that rounding reaches.
          bool good =
              format.special == SmallFormat::NoNaN ? (got[i] & 0x7f) == 0x7e : std::isnan(format.decode(got[i]));
          EXPECT_TRUE(good) << source.name << " NaN " << i << " to " << format.name << " gave " << got[i];
          wrong += !good;
          continue;
        }
        uint32_t expected = format.special == SmallFormat::NoNaN ? encodeE4B15(source, value)
                            : toZero                             ? format.encode(value, SmallFormat::TowardZero, table)
                                                                 : format.encode(value, SmallFormat::Nearest, table);
        // Unsigned zeros of ints have no sign to keep; floats keep it.
        EXPECT_EQ(got[i], expected) << source.name << " " << i << " (" << value << ") to " << format.name << " "
                                    << (rounding ? rounding : "");
        wrong += got[i] != expected;
      }
    }
  }
}

TEST_P(EveryCast, ToWideFloats) {
  const Source &source = std::get<Source>(GetParam());
  std::vector<uint64_t> single = castAll(source, "fp32", 32, nullptr), wide = castAll(source, "fp64", 64, nullptr);
  for (size_t i = 0; i < single.size(); ++i) {
    double value = source.values[i];
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(std::bit_cast<float>(uint32_t(single[i])))) << i;
      ASSERT_TRUE(std::isnan(std::bit_cast<double>(wide[i]))) << i;
      continue;
    }
    ASSERT_EQ(uint32_t(single[i]), std::bit_cast<uint32_t>(float(value))) << source.name << " " << i;
    ASSERT_EQ(wide[i], std::bit_cast<uint64_t>(value)) << source.name << " " << i;
  }
}

TEST_P(EveryCast, ToInts) {
  const Source &source = std::get<Source>(GetParam());
  for (int bits : {8, 16, 32, 64})
    for (bool isSigned : {false, true}) {
      std::string target = (isSigned ? "i" : "u") + std::to_string(bits);
      std::vector<uint64_t> got = castAll(source, target, bits, nullptr);
      uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
      for (size_t i = 0; i < got.size(); ++i) {
        double value = source.values[i];
        uint64_t expected;
        if (!source.isFloat) {
          expected = uint64_t(int64_t(value)) & mask; // Ints wrap.
        } else {
          double top = std::ldexp(1.0, bits - isSigned), bottom = isSigned ? -top : 0;
          if (std::isnan(value))
            expected = 0;
          else if (value >= top)
            expected = isSigned ? mask >> 1 : mask;
          else if (value <= bottom)
            expected = isSigned ? uint64_t(1) << (bits - 1) : 0;
          else
            expected = (isSigned ? uint64_t(int64_t(value)) : uint64_t(value)) & mask;
        }
        ASSERT_EQ(got[i], expected) << source.name << " " << i << " (" << value << ") to " << target;
      }
    }
}

TEST_P(EveryCast, ToBool) {
  const Source &source = std::get<Source>(GetParam());
  std::vector<uint64_t> got = castAll(source, "i1", 1, nullptr);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], uint64_t(source.values[i] != 0)) << source.name << " " << i;
}

INSTANTIATE_TEST_SUITE_P(On, EveryCast, testing::Combine(testing::ValuesIn(sources()), allEngines()),
                         [](const testing::TestParamInfo<std::tuple<Source, Engine>> &info) {
                           return std::get<Source>(info.param).name + "_" + nameOf(std::get<Engine>(info.param));
                         });

class WideCasts : public OnEngine {};
ON_EACH_ENGINE(WideCasts);
class Bitcasts : public OnEngine {};
ON_EACH_ENGINE(Bitcasts);

/// Values of fp32 and fp64 around every step of a small format: its values, the middles between
/// them, and the neighbours of both.
TEST_P(WideCasts, AroundEveryStep) {
  for (const SmallFormat &format : smallFormats()) {
    std::vector<double> table = format.magnitudes(), doubles;
    std::vector<float> singles;
    for (size_t i = 0; i + 1 < table.size(); ++i)
      for (double value : {table[i], (table[i] + table[i + 1]) / 2})
        for (double sign : {1.0, -1.0})
          for (int side : {-1, 0, 1}) {
            double d = sign * value;
            float f = float(d);
            doubles.push_back(side ? std::nextafter(d, side * INFINITY) : d);
            singles.push_back(side ? std::nextafter(f, float(side) * INFINITY) : f);
          }
    for (double value : {table.back(), table.back() * 1.01, table.back() * 2, 1e300, double(INFINITY)})
      for (double sign : {1.0, -1.0}) {
        doubles.push_back(sign * value);
        singles.push_back(float(sign * value));
      }
    size_t count = std::bit_ceil(doubles.size());
    doubles.resize(count);
    singles.resize(count);
    for (const char *rounding : {"rtne", "rtz"}) {
      bool toZero = std::string(rounding) == "rtz";
      int bytes = format.bits() / 8;
      std::vector<uint8_t> out(count * bytes);
      auto check = [&](const std::string &type, auto &values) {
        runSource(kCast, "*" + type + ", *" + format.name + ", " + std::to_string(count) + ", '" + rounding + "'",
                  values, out);
        for (size_t i = 0; i < count; ++i) {
          uint32_t got = 0, expected;
          std::memcpy(&got, &out[i * bytes], bytes);
          double value = double(values[i]);
          if (format.special == SmallFormat::NoNaN)
            expected = encodeE4B15(Source{type, 0, true, {}}, value);
          else
            expected = format.encode(value, toZero ? SmallFormat::TowardZero : SmallFormat::Nearest, table);
          ASSERT_EQ(got, expected) << type << " " << std::hexfloat << value << " to " << format.name << " " << rounding;
        }
      };
      check("fp32", singles);
      check("fp64", doubles);
    }
  }
}

TEST_P(WideCasts, DoubleToSingleTowardZero) {
  std::vector<double> x = {1 + 0x1p-24, -1 - 0x1.8p-24, 1e39, -1e39, 1e-46, INFINITY, NAN, 0x1.fffffffp127};
  std::vector<float> out(x.size());
  runSource(kCast, "*fp64, *fp32, 8, 'rtz'", x, out);
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(out[1], -1.0f);
  EXPECT_EQ(out[2], largest);
  EXPECT_EQ(out[3], -largest);
  EXPECT_EQ(out[4], 0.0f);
  EXPECT_EQ(out[5], INFINITY);
  EXPECT_TRUE(std::isnan(out[6]));
  EXPECT_EQ(out[7], largest);
}

TEST_P(WideCasts, RoundingsAreForNarrowerFloatsOnly) {
  for (const char *signature : {"*fp16, *fp32, 16, 'rtz'", "*fp16, *bf16, 16, 'rtz'", "*i32, *fp16, 16, 'rtne'"}) {
    std::string message;
    EXPECT_FALSE(loadSource(kCast, signature, &message)) << signature;
    EXPECT_NE(message.find("fp_downcast_rounding should be set only for truncating fp conversions"), std::string::npos)
        << message;
  }
  std::string message;
  EXPECT_FALSE(loadSource(kCast, "*fp32, *fp16, 16, 'up'", &message));
  EXPECT_NE(message.find("Supported rounding modes are 'rtne' and 'rtz'"), std::string::npos) << message;
}

TEST_P(Bitcasts, KeepEveryByte) {
  const char *kernel = R"(
@triton.jit
def k(source, target):
    at = tl.arange(0, 256)
    x = tl.load(source + at)
    tl.store(target + at, x.to(target.dtype.element_ty, bitcast=True))
)";
  std::vector<uint8_t> in(256), out(256);
  for (int i = 0; i < 256; ++i)
    in[i] = uint8_t(i);
  const char *types[] = {"i8", "u8", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
  for (const char *from : types)
    for (const char *to : types) {
      std::fill(out.begin(), out.end(), 0);
      runSource(kernel, "*" + std::string(from) + ", *" + to, in, out);
      EXPECT_EQ(in, out) << from << " to " << to;
    }
  std::string message;
  EXPECT_FALSE(loadSource(kernel, "*fp32, *i16", &message));
  EXPECT_NE(message.find("Cannot bitcast data-type of size 32 to data-type of size 16"), std::string::npos) << message;
}

} // namespace
} // namespace tilewise::engines
