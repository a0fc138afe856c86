// Math functions of the CPU engine against the C library in higher precision: the bounds of
// MathFunctions.h.
#include "CpuHarness.h"
#include "engines/RunKernel.h"
#include "libdevice/Libdevice.h"

#include <cmath>
#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

/// Distance in units of the last place of the exact value, rounded to T; denormals count in the
/// smallest unit.
template <typename T> double ulpsBetween(T actual, long double exact) {
  T rounded = T(exact);
  if (std::isnan(rounded) || std::isnan(actual))
    return std::isnan(rounded) == std::isnan(actual) ? 0 : 1e30;
  if (actual == rounded)
    return std::signbit(actual) == std::signbit(rounded) ? 0 : 1e30; // of zeros
  if (std::isinf(rounded) || std::isinf(actual))
    return 1e30;
  T magnitude = std::max(std::abs(rounded), std::numeric_limits<T>::min());
  T unit = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return double(std::abs((long double)(actual)-exact) / unit);
}

template <typename T>
void check(const std::string &op, long double (*exact)(long double), double bound, double low, double high) {
  SCOPED_TRACE(op);
  constexpr size_t count = 1 << 16;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> x(count), y(count);
  for (T &value : x)
    value = T(uniform(random));
  T specials[] = {0,
                  T(-0.0),
                  1,
                  -1,
                  T(INFINITY),
                  T(-INFINITY),
                  T(NAN),
                  std::numeric_limits<T>::min(),
                  std::numeric_limits<T>::denorm_min(),
                  std::numeric_limits<T>::max(),
                  -std::numeric_limits<T>::max()};
  std::copy(std::begin(specials), std::end(specials), x.begin());
  x[1000] = T(-0.0); // Also far from infinities, which may send all of their vector another way.
  std::string type = sizeof(T) == 4 ? "f32" : "f64", block = "tensor<65536x" + type + ">";
  std::string body = llvm::StringRef(op).starts_with("math.")
                         ? "%r = " + op + " %0 : " + block
                         : "%r = tile.extern_call \"" + op + "\"(%0) : (" + block + ") -> " + block;
  CompiledKernel kernel(engines::elementwiseKernel({type}, type, body, count));
  ASSERT_TRUE(bool(kernel));
  kernel.run({1, 1, 1}, x.data(), y.data());
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < count; ++i)
    if (double distance = ulpsBetween(y[i], exact(x[i])); distance > worst) {
      worst = distance;
      at = x[i];
    }
  EXPECT_LE(worst, bound) << "at " << at;
}

TEST(CpuMath, Single) {
  check<float>("math.exp", std::exp, 1, -110, 95);
  check<float>("math.exp", std::exp, 1, -1, 1);
  check<float>("math.exp2", std::exp2, 1, -155, 132);
  check<float>("math.log", std::log, 2, 0, 4);
  check<float>("math.log", std::log, 2, 0, 3e38);
  check<float>("math.log2", std::log2, 2, 0, 4);
  check<float>("math.rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 1.5, 0, 1e6);
  check<float>("math.sin", std::sin, 2, -100, 100);
  check<float>("math.cos", std::cos, 2, -100, 100);
  check<float>("math.sin", std::sin, 2, -4e4, 4e4);
  check<float>("math.cos", std::cos, 2, -2e6, 2e6);
  check<float>("math.sin", std::sin, 2, -3e38, 3e38);
  check<float>("math.tanh", std::tanh, 4, -10, 10);
  check<float>("math.erf", std::erf, 4, -4, 4);
}

TEST(CpuMath, Double) {
  check<double>("math.exp", std::exp, 2, -750, 715);
  check<double>("math.exp2", std::exp2, 2, -1080, 1026);
  check<double>("math.log", std::log, 2, 0, 4);
  check<double>("math.log", std::log, 2, 0.999, 1.001);
  check<double>("math.log", std::log, 2, 0, 1e300);
  check<double>("math.log2", std::log2, 2, 0, 4);
  check<double>("math.log2", std::log2, 2, 0.999, 1.001);
  check<double>("math.sin", std::sin, 2, -10, 10);
  check<double>("math.cos", std::cos, 2, -10, 10);
  check<double>("math.sin", std::sin, 2, -1e6, 1e6);
  check<double>("math.cos", std::cos, 2, -2e6, 2e6);
}

/// By DoubleFunctions.cpp where there is FMA.
TEST(CpuMath, LibraryOfDoubles) {
  for (double range : {1e-300, 1e-8, 0.3, 1.0, 3.0, 7.0, 50.0, 720.0}) {
    SCOPED_TRACE(range);
    for (const char *op : {"math.tanh", "tanh"})
      check<double>(op, std::tanh, 4, -range, range);
    for (const char *op : {"math.erf", "erf"})
      check<double>(op, std::erf, 4, -range, range);
    check<double>("log1p", std::log1p, 4, -range, range);
    check<double>("expm1", std::expm1, 4, -range, range);
    check<double>("log10", std::log10, 4, 0, range);
    check<double>("atan", std::atan, 4, -range, range);
    check<double>("asin", std::asin, 4, -range, range);
    check<double>("acos", std::acos, 4, -range, range);
  }
  check<double>("log1p", std::log1p, 4, -1, 1e300);
  check<double>("log10", std::log10, 4, 0.999, 1.001);
  check<double>("acos", std::acos, 4, 0.9999, 1);
}

/// Near multiples of pi/2, where most of the number is cut off.
TEST(CpuMath, DoubleNearMultiplesOfHalfPi) {
  const long double halfPi = std::acos(0.0L);
  check<double>("math.sin", std::sin, 2, double(2 * halfPi) - 1e-9, double(2 * halfPi) + 1e-9);
  check<double>("math.cos", std::cos, 2, double(halfPi) - 1e-9, double(halfPi) + 1e-9);
  check<double>("math.cos", std::cos, 2, double(100001 * halfPi) - 1e-9, double(100001 * halfPi) + 1e-9);
}

TEST(CpuMath, LibraryOfSingles) {
  check<float>("log1pf", std::log1p, 1, -1, 4);
  check<float>("log1pf", std::log1p, 1, -1e-6, 1e-6);
  check<float>("expm1f", std::expm1, 1, -20, 90);
  check<float>("expm1f", std::expm1, 1, -2e-3, 2e-3);
  check<float>("exp10f", [](long double x) { return std::pow(10.0L, x); }, 1, -46, 39);
  check<float>("log10f", std::log10, 1, 0, 4);
  check<float>("tanf", std::tan, 1, -100, 100);
  check<float>("sinhf", std::sinh, 1, -90, 90);
  check<float>("sinhf", std::sinh, 1, -0.01, 0.01);
  check<float>("coshf", std::cosh, 1, -90, 90);
  check<float>("asinhf", std::asinh, 1, -4, 4);
  check<float>("asinhf", std::asinh, 1, -0.03, 0.03);
  check<float>("acoshf", std::acosh, 1, 0.9, 4);
  check<float>("acoshf", std::acosh, 1, 1, 1.001);
  check<float>("atanhf", std::atanh, 1, -1.1, 1.1);
  check<float>("atanhf", std::atanh, 1, -0.03, 0.03);
  check<float>("atanf", std::atan, 1, -10, 10);
  check<float>("asinf", std::asin, 1, -1.1, 1.1);
  check<float>("acosf", std::acos, 1, -1.1, 1.1);
  check<float>("acosf", std::acos, 1, 0.9999, 1);
  check<float>("cbrtf", std::cbrt, 1, -1e6, 1e6);
  // Its inverse is the library's, too, but by other means.
  auto inverse = [](long double x) {
    double in = double(x), out;
    const void *operands[] = {&in};
    libdevice::findSymbol("erfinv")->apply(operands, &out, 1);
    return (long double)(out);
  };
  check<float>("erfinvf", inverse, 1, -1.01, 1.01);
}

/// A function of two numbers on pairs of random ones, and on all pairs of special ones.
template <typename T>
void checkPairs(const std::string &symbol, long double (*exact)(long double, long double), double low, double high,
                double bound = 1) {
  SCOPED_TRACE(symbol);
  constexpr size_t count = 1 << 14;
  const T specials[] = {0,       T(-0.0), 1,        -1,       2,           -2,           3,      -3,      T(0.5),
                        T(-0.5), T(1e30), T(-1e30), T(1e-40), T(INFINITY), T(-INFINITY), T(NAN), T(7e-3), T(0x1p24)};
  std::mt19937_64 random(12);
  std::uniform_real_distribution<T> uniform{T(low), T(high)};
  std::vector<T> x(count), y(count), z(count);
  for (size_t i = 0; i < count; ++i) {
    const bool isSpecial = i < std::size(specials) * std::size(specials);
    x[i] = isSpecial ? specials[i % std::size(specials)] : uniform(random);
    y[i] = isSpecial ? specials[i / std::size(specials)] : uniform(random);
  }
  const std::string type = sizeof(T) == 4 ? "f32" : "f64", block = "tensor<16384x" + type + ">";
  CompiledKernel kernel(engines::elementwiseKernel(
      {type, type}, type,
      "%r = tile.extern_call \"" + symbol + "\"(%0, %1) : (" + block + ", " + block + ") -> " + block, count));
  ASSERT_TRUE(bool(kernel));
  kernel.run({1, 1, 1}, x.data(), y.data(), z.data());
  for (size_t i = 0; i < count; ++i)
    ASSERT_LE(ulpsBetween(z[i], exact(x[i], y[i])), bound) << x[i] << ", " << y[i] << " gives " << z[i];
}

TEST(CpuMath, LibraryOfPairs) {
  checkPairs<float>("powf", std::pow, -4, 4);
  checkPairs<float>("powf", std::pow, 0, 50);
  checkPairs<float>("atan2f", std::atan2, -4, 4);
  checkPairs<float>("hypotf", std::hypot, -4, 4);
  checkPairs<float>("fmodf", std::fmod, -1e3, 1e3);
  checkPairs<double>("pow", std::pow, -4, 4, 4);
  checkPairs<double>("pow", std::pow, 0, 140, 4);
  checkPairs<double>("pow", std::pow, 0.99, 1.01, 4);
  checkPairs<double>("atan2", std::atan2, -4, 4, 4);
}

} // namespace
