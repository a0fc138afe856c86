// Float ops: arithmetic rounded once in every type, comparisons, minima, and the functions of
// mathematics.
#include "engines/RunKernel.h"
#include "support/FloatFormats.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <random>

namespace tilewise::engines {
namespace {

class FloatOps : public OnEngine {};
ON_EACH_ENGINE(FloatOps);

using llvm::APFloat;
constexpr auto kNearest = APFloat::rmNearestTiesToEven;

/// Bits of a type that holds `Bits`, interesting ones first, then random ones.
template <typename Bits> std::vector<Bits> patterns(size_t count, unsigned seed, std::initializer_list<Bits> first) {
  std::vector<Bits> bits(first);
  std::mt19937_64 random(seed);
  while (bits.size() < count)
    bits.push_back(Bits(random()));
  return bits;
}

template <typename Bits> struct FloatCase {
  const char *type;
  const llvm::fltSemantics &semantics;
};

template <typename Bits> APFloat asFloat(const llvm::fltSemantics &semantics, Bits bits) {
  return APFloat(semantics, llvm::APInt(8 * sizeof(Bits), bits));
}

template <typename Bits>
void expectSame(const llvm::fltSemantics &semantics, const APFloat &expected, Bits got, const std::string &what) {
  if (expected.isNaN())
    EXPECT_TRUE(asFloat(semantics, got).isNaN()) << what;
  else
    EXPECT_EQ(got, Bits(expected.bitcastToAPInt().getZExtValue())) << what;
}

template <typename Bits>
void checkArithmetic(const char *type, const llvm::fltSemantics &semantics, std::initializer_list<Bits> first) {
  auto a = patterns<Bits>(4000, 1, first), b = patterns<Bits>(4000, 2, first), c = patterns<Bits>(4000, 3, first);
  std::shuffle(b.begin(), b.end(), std::mt19937(4));
  std::shuffle(c.begin(), c.end(), std::mt19937(5));
  // Sums that cancel or nearly so, where a second rounding would show.
  for (size_t i = 0; i < 1000; ++i)
    c[i] = Bits(a[i] ^ (Bits(1) << (8 * sizeof(Bits) - 1)));
  auto check = [&](const char *op, auto apply) {
    auto got = runBinary<Bits>(type, type, op, a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      APFloat expected = asFloat(semantics, a[i]);
      apply(expected, asFloat(semantics, b[i]));
      expectSame(semantics, expected, got[i],
                 std::string(op) + " " + type + " " + std::to_string(a[i]) + " " + std::to_string(b[i]));
    }
  };
  check("arith.addf", [](APFloat &x, const APFloat &y) { x.add(y, kNearest); });
  check("arith.subf", [](APFloat &x, const APFloat &y) { x.subtract(y, kNearest); });
  check("arith.mulf", [](APFloat &x, const APFloat &y) { x.multiply(y, kNearest); });
  check("arith.divf", [](APFloat &x, const APFloat &y) { x.divide(y, kNearest); });
  check("arith.remf", [](APFloat &x, const APFloat &y) { x.mod(y); });
  check("arith.minnumf", [](APFloat &x, const APFloat &y) { x = x.isNaN() ? y : y.isNaN() ? x : minimum(x, y); });
  check("arith.maxnumf", [](APFloat &x, const APFloat &y) { x = x.isNaN() ? y : y.isNaN() ? x : maximum(x, y); });
  check("arith.minimumf", [](APFloat &x, const APFloat &y) { x = minimum(x, y); });
  check("arith.maximumf", [](APFloat &x, const APFloat &y) { x = maximum(x, y); });

  std::vector<Bits> fused(a.size());
  std::string block = "tensor<" + std::to_string(a.size()) + "x" + type + ">";
  runKernel(elementwiseKernel({type, type, type}, type, "%r = math.fma %0, %1, %2 : " + block, a.size()), {1, 1, 1}, a,
            b, c, fused);
  for (size_t i = 0; i < a.size(); ++i) {
    APFloat expected = asFloat(semantics, a[i]);
    expected.fusedMultiplyAdd(asFloat(semantics, b[i]), asFloat(semantics, c[i]), kNearest);
    expectSame(semantics, expected, fused[i],
               std::string("fma ") + type + " " + std::to_string(a[i]) + " " + std::to_string(b[i]) + " " +
                   std::to_string(c[i]));
  }
}

TEST_P(FloatOps, ArithmeticRoundsOnceInF64) {
  checkArithmetic<uint64_t>(
      "f64", APFloat::IEEEdouble(),
      {0, uint64_t(1) << 63, 1, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000});
}
TEST_P(FloatOps, ArithmeticRoundsOnceInF32) {
  checkArithmetic<uint32_t>("f32", APFloat::IEEEsingle(),
                            {0, 0x80000000, 1, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0x7f7fffff});
}
TEST_P(FloatOps, ArithmeticRoundsOnceInF16) {
  checkArithmetic<uint16_t>("f16", APFloat::IEEEhalf(), {0, 0x8000, 1, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0x7bff});
}
TEST_P(FloatOps, ArithmeticRoundsOnceInBF16) {
  checkArithmetic<uint16_t>("bf16", APFloat::BFloat(), {0, 0x8000, 1, 0x7f80, 0xff80, 0x7fc0, 0x3f80, 0x7f7f});
}
TEST_P(FloatOps, ArithmeticRoundsOnceInF8) {
  checkArithmetic<uint8_t>("f8E5M2", APFloat::Float8E5M2(), {0, 0x80, 1, 0x7c, 0xfc, 0x7e, 0x3c, 0x7b});
}

TEST_P(FloatOps, EveryComparison) {
  float inf = INFINITY, nan = NAN;
  std::vector<float> values = {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan}, a, b;
  for (float x : values)
    for (float y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  auto check = [&](const char *predicate, auto expected) {
    auto got = runBinary<uint8_t>("f32", "i1", std::string("arith.cmpf ") + predicate + ",", a, b);
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(got[i], expected(a[i], b[i]) ? 1 : 0) << predicate << " of " << a[i] << " and " << b[i];
  };
  auto unordered = [](float x, float y) { return std::isnan(x) || std::isnan(y); };
  check("false", [](float, float) { return false; });
  check("oeq", [](float x, float y) { return x == y; });
  check("ogt", [](float x, float y) { return x > y; });
  check("oge", [](float x, float y) { return x >= y; });
  check("olt", [](float x, float y) { return x < y; });
  check("ole", [](float x, float y) { return x <= y; });
  check("one", [](float x, float y) { return x < y || x > y; });
  check("ord", [&](float x, float y) { return !unordered(x, y); });
  check("ueq", [](float x, float y) { return !(x < y || x > y); });
  check("ugt", [](float x, float y) { return !(x <= y); });
  check("uge", [](float x, float y) { return !(x < y); });
  check("ult", [](float x, float y) { return !(x >= y); });
  check("ule", [](float x, float y) { return !(x > y); });
  check("une", [](float x, float y) { return x != y; });
  check("uno", unordered);
  check("true", [](float, float) { return true; });
}

// Other engines have bounds instead: test/unit/cpu/MathTest.cpp, test/accuracy.
TEST(ReferenceFloats, FunctionsAreRoundedFromMorePrecision) {
  std::vector<float> x;
  for (int i = -200; i <= 200; ++i)
    x.push_back(float(i) * 0.0531f);
  x.insert(x.end(), {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 88.8f, -104.0f, 1e-40f, 3e38f});
  auto check = [&](const char *op, long double (*f)(long double)) {
    auto got = runUnary<float>("f32", "f32", op, x);
    for (size_t i = 0; i < x.size(); ++i) {
      float expected = float(f(x[i]));
      if (std::isnan(expected))
        EXPECT_TRUE(std::isnan(got[i])) << op << " of " << x[i];
      else
        EXPECT_EQ(got[i], expected) << op << " of " << x[i];
    }
  };
  check("math.exp", std::exp);
  check("math.exp2", std::exp2);
  check("math.log", std::log);
  check("math.log2", std::log2);
  check("math.sqrt", std::sqrt);
  check("math.sin", std::sin);
  check("math.cos", std::cos);
  check("math.tanh", std::tanh);
  check("math.erf", std::erf);
  check("math.floor", std::floor);
  check("math.ceil", std::ceil);
  check("math.trunc", std::trunc);
  check("math.round", std::round);
  check("math.roundeven", std::rint);
  check("math.absf", std::fabs);
  check("arith.negf", [](long double v) { return -v; });
  check("math.rsqrt", [](long double v) { return 1.0L / std::sqrt(v); });

  std::vector<uint16_t> halves = {0x3c00, 0x4000, 0xbc00, 0x7c00};
  auto exp = runUnary<uint16_t>("f16", "f16", "math.exp", halves);
  for (size_t i = 0; i < halves.size(); ++i)
    EXPECT_EQ(exp[i], encodeFloat(kF16, std::exp(double(decodeF16(halves[i])))));
}

} // namespace
} // namespace tilewise::engines
