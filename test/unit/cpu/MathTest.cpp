// Math functions of the CPU engine against the C library in higher precision: the bounds of MathFunctions.h.
#include "CpuHarness.h"
#include "engines/RunKernel.h"

#include <cmath>
#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

/// Distance in units of the last place of the exact value, rounded to T; denormals count in the smallest unit.
template <typename T> double ulpsBetween(T actual, long double exact) {
  T rounded = T(exact);
  if (std::isnan(rounded) || std::isnan(actual))
    return std::isnan(rounded) == std::isnan(actual) ? 0 : 1e30;
  if (actual == rounded)
    return 0;
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
  std::string type = sizeof(T) == 4 ? "f32" : "f64", block = "tensor<65536x" + type + ">";
  CompiledKernel kernel(engines::elementwiseKernel({type}, type, "%r = " + op + " %0 : " + block, count));
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
}

} // namespace
