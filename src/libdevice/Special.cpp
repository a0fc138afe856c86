// Functions that the C library lacks or defines differently: inverses of erf, scaled erfc, norms,
// Bessel functions. In long double.
#include "libdevice/Functions.h"

#include <cmath>
#include <numbers>

namespace tilewise::libdevice::fn {

using Long = long double;

static constexpr Long kPi = std::numbers::pi_v<Long>;
static constexpr Long kSqrt2 = std::numbers::sqrt2_v<Long>;
static constexpr Long kInvSqrtPi = std::numbers::inv_sqrtpi_v<Long>;
static constexpr Long kNaN = std::numeric_limits<Long>::quiet_NaN();
static constexpr Long kInfinity = std::numeric_limits<Long>::infinity();

f64 rcp64h(f64 x) {
  constexpr u64 kHigh = ~u64(0) << 32;
  auto flushed = [](f64 value) {
    return std::fabs(value) < std::numeric_limits<f64>::min() ? std::copysign(0.0, value) : value;
  };
  if (x != x)
    return x;
  f64 upper = std::bit_cast<f64>(std::bit_cast<u64>(flushed(x)) & kHigh);
  return flushed(std::bit_cast<f64>(std::bit_cast<u64>(1 / upper) & kHigh));
}

/// x = n / 2 + rest with |rest| <= 1/4, all exact; n modulo 4 is the quadrant.
template <typename T> static int quadrant(T x, T &rest) {
  T turns = std::fmod(x, T(2));
  T n = std::nearbyint(2 * turns);
  rest = turns - n / 2;
  return int(n) & 3;
}

template <std::floating_point T> T sinpi(T x) {
  if (!std::isfinite(x))
    return T(kNaN);
  T rest;
  int n = quadrant(x, rest);
  Long angle = kPi * rest;
  if (n == 0 || n == 2)
    // Whole numbers give a zero with the sign of x.
    return rest == 0 ? std::copysign(T(0), x) : T(n == 0 ? std::sin(angle) : -std::sin(angle));
  return T(n == 1 ? std::cos(angle) : -std::cos(angle));
}

template <std::floating_point T> T cospi(T x) {
  if (!std::isfinite(x))
    return T(kNaN);
  T rest;
  int n = quadrant(x, rest);
  Long angle = kPi * rest;
  if (n == 0 || n == 2)
    return T(n == 0 ? std::cos(angle) : -std::cos(angle));
  return rest == 0 ? T(0) : T(n == 1 ? -std::sin(angle) : std::sin(angle));
}

/// The squares of doubles neither overflow nor vanish in a wider long double; where it is no wider,
/// hypot looks after that.
static Long length(Long a, Long b, Long c, Long d) {
  if (std::isinf(a) || std::isinf(b) || std::isinf(c) || std::isinf(d))
    return kInfinity;
  if constexpr (std::numeric_limits<Long>::max_exponent > 4096)
    return std::sqrt(a * a + b * b + c * c + d * d);
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}
template <std::floating_point T> T norm(T a, T b, T c) { return T(length(a, b, c, 0)); }
template <std::floating_point T> T norm(T a, T b, T c, T d) { return T(length(a, b, c, d)); }
/// Where long double is double, the length of large vectors overflows, though its inverse does not
/// vanish.
static Long inverseLength(Long a, Long b, Long c, Long d) {
  if constexpr (std::numeric_limits<Long>::max_exponent <= 4096) {
    constexpr Long kLarge = 1e300;
    if (std::fabs(a) > kLarge || std::fabs(b) > kLarge || std::fabs(c) > kLarge || std::fabs(d) > kLarge)
      return 0.125L / length(a / 8, b / 8, c / 8, d / 8);
  }
  return 1 / length(a, b, c, d);
}
template <std::floating_point T> T rnorm(T a, T b, T c) { return T(inverseLength(a, b, c, 0)); }
template <std::floating_point T> T rnorm(T a, T b, T c, T d) { return T(inverseLength(a, b, c, d)); }

static Long scaledErfc(Long x);

/// y with erfc(y) = q for 0 < q <= 1. A rational start within 3e-3 (Abramowitz and Stegun 26.2.23)
/// and Halley's steps, each of which cubes the error: the third is there for the last bit.
static Long inverseErfc(Long q) {
  const Long logarithm = std::log(q);
  Long t = std::sqrt(-2 * (logarithm - std::numbers::ln2_v<Long>));
  Long y = (t - (2.30753L + 0.27061L * t) / (1 + t * (0.99229L + 0.04481L * t))) / kSqrt2;
  // Where long double is double, such q and all beside them have lost digits: Newton's steps on the
  // logarithm of erfc.
  if (std::numeric_limits<Long>::max_exponent <= 4096 && q < 1e-290L) {
    for (int i = 0; i < 4; ++i) {
      Long scaled = scaledErfc(y);
      y += (std::log(scaled) - y * y - logarithm) * scaled / (2 * kInvSqrtPi);
    }
    return y;
  }
  for (int i = 0; i < 3; ++i) {
    Long step = (std::erfc(y) - q) / (2 * kInvSqrtPi * std::exp(-y * y));
    y += step / (1 - y * step);
  }
  return y;
}

/// y with erf(y) = x for |x| < 1/2, where 1 - x would lose bits: the same steps on erf.
static Long inverseErf(Long x) {
  Long y = x / (2 * kInvSqrtPi) * (1 + kPi * x * x / 12);
  for (int i = 0; i < 4; ++i) {
    Long step = (std::erf(y) - x) / (2 * kInvSqrtPi * std::exp(-y * y));
    y -= step / (1 + y * step);
  }
  return y;
}

template <std::floating_point T> T erfcinv(T arg) {
  Long x = arg;
  if (!(x >= 0 && x <= 2))
    return T(kNaN);
  if (x == 0 || x == 2)
    return T(x == 0 ? kInfinity : -kInfinity);
  if (x > 0.5L && x < 1.5L)
    return T(inverseErf(1 - x));
  return T(x < 1 ? inverseErfc(x) : -inverseErfc(2 - x));
}

template <std::floating_point T> T erfinv(T arg) {
  Long x = arg, magnitude = std::fabs(x);
  if (!(magnitude <= 1))
    return T(kNaN);
  if (magnitude == 1)
    return T(std::copysign(kInfinity, x));
  if (magnitude < 0.5L)
    return x == 0 ? arg : T(inverseErf(x));
  return T(std::copysign(inverseErfc(1 - magnitude), x));
}

static Long scaledErfc(Long x) {
  // 2 exp(27^2) is beyond f64.
  if (x < -27)
    return kInfinity;
  if (x > 50) {
    // 1 / (x sqrt(pi)) * (1 - 1/(2x^2) + 1*3/(2x^2)^2 - ...): eight terms leave less than 1e-22 at
    // 50.
    Long term = 1, sum = 1, squared = 2 * x * x;
    for (int k = 1; k < 8; ++k) {
      term *= -Long(2 * k - 1) / squared;
      sum += term;
    }
    return sum * kInvSqrtPi / x;
  }
  // Where long double is double, erfc vanishes on the way.
  if constexpr (std::numeric_limits<Long>::max_exponent <= 4096) {
    if (x > 10) {
      // 1 / sqrt(pi) / (x + 1/2 / (x + 1 / (x + 3/2 / (x + ...)))), which 60 levels have settled
      // from 2 on.
      Long below = x;
      for (int k = 60; k > 0; --k)
        below = x + k / 2.0L / below;
      return kInvSqrtPi / below;
    }
  }
  // The square's rounding error would be multiplied by the square itself: x*x = high + low, and
  // exp(low) = 1 + low.
  Long high = x * x, low = std::fma(x, x, -high);
  return std::exp(high) * std::erfc(x) * (1 + low);
}
template <std::floating_point T> T erfcx(T x) { return T(scaledErfc(x)); }

template <std::floating_point T> T normcdf(T arg) {
  Long x = arg, scaled = -x / kSqrt2, value = std::erfc(scaled);
  // Where long double is double, the rounding of the quotient shows: erfc falls by 2 x scaled for
  // each unit of it.
  if constexpr (std::numeric_limits<Long>::max_exponent <= 4096) {
    constexpr Long kSqrt2Rest = -9.667293313452913e-17;
    Long rest = -(std::fma(scaled, kSqrt2, x) + scaled * kSqrt2Rest) / kSqrt2;
    if (std::fabs(scaled) < 30)
      value -= rest * 2 * kInvSqrtPi * std::exp(-scaled * scaled);
  }
  return T(value / 2);
}

template <std::floating_point T> T normcdfinv(T arg) {
  Long x = arg;
  if (!(x >= 0 && x <= 1))
    return T(kNaN);
  if (x == 0 || x == 1)
    return T(x == 0 ? -kInfinity : kInfinity);
  if (x > 0.25L && x < 0.75L)
    return x == 0.5L ? T(0) : T(-kSqrt2 * inverseErf(1 - 2 * x));
  return T(x < 0.5L ? -kSqrt2 * inverseErfc(2 * x) : kSqrt2 * inverseErfc(2 - 2 * x));
}

// The functions with an `_r` do not write the global `signgam`.
static double logGamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
static Long logGamma(Long x) {
  int sign;
  return ::lgammal_r(x, &sign);
}
template <std::floating_point T> T lgamma(T x) { return T(logGamma(Wide<T>(x))); }

static double besselJ(i32 n, double x) { return ::jn(n, x); }
static Long besselJ(i32 n, Long x) { return ::jnl(n, x); }
static double besselY(i32 n, double x) { return ::yn(n, x); }
static Long besselY(i32 n, Long x) { return ::ynl(n, x); }

template <std::floating_point T> T jn(i32 n, T x) { return n < 0 || x != x ? T(kNaN) : T(besselJ(n, Wide<T>(x))); }
template <std::floating_point T> T yn(i32 n, T x) {
  if (n < 0 || x != x || x < 0)
    return T(kNaN);
  return x == 0 ? T(-kInfinity) : T(besselY(n, Wide<T>(x)));
}
template <std::floating_point T> T j0(T x) { return jn(0, x); }
template <std::floating_point T> T j1(T x) { return jn(1, x); }
template <std::floating_point T> T y0(T x) { return yn(0, x); }
template <std::floating_point T> T y1(T x) { return yn(1, x); }

/// I_order(x) for x >= 0: up to 30 the power series, whose terms are all positive; beyond, the
/// asymptotic one, whose terms fall below e^-60 before they grow again.
static Long besselI(int order, Long x) {
  if (x <= 30) {
    Long quarter = x * x / 4, term = order == 0 ? 1 : x / 2, sum = term;
    for (int k = 1; term > sum * 1e-21L; ++k) {
      term *= quarter / (Long(k) * (k + order));
      sum += term;
    }
    return sum;
  }
  // e^800 / sqrt(2 pi 800) is too large for f64.
  if (x > 800)
    return kInfinity;
  Long term = 1, sum = 1;
  for (int k = 1; k < 60 && std::fabs(term) > 1e-22L; ++k) {
    term *= -(4.0L * order * order - Long(2 * k - 1) * (2 * k - 1)) / (8 * k * x);
    sum += term;
  }
  return std::exp(x) / std::sqrt(2 * kPi * x) * sum;
}
template <std::floating_point T> T cyl_bessel_i0(T x) { return x != x ? x : T(besselI(0, std::fabs(Long(x)))); }
template <std::floating_point T> T cyl_bessel_i1(T x) {
  return x != x || x == 0 ? x : T(std::copysign(besselI(1, std::fabs(Long(x))), Long(x)));
}

#define TILEWISE_INSTANTIATE(T)                                                                                        \
  template T sinpi(T);                                                                                                 \
  template T cospi(T);                                                                                                 \
  template T norm(T, T, T);                                                                                            \
  template T norm(T, T, T, T);                                                                                         \
  template T rnorm(T, T, T);                                                                                           \
  template T rnorm(T, T, T, T);                                                                                        \
  template T erfinv(T);                                                                                                \
  template T erfcinv(T);                                                                                               \
  template T erfcx(T);                                                                                                 \
  template T normcdf(T);                                                                                               \
  template T normcdfinv(T);                                                                                            \
  template T lgamma(T);                                                                                                \
  template T j0(T);                                                                                                    \
  template T j1(T);                                                                                                    \
  template T jn(i32, T);                                                                                               \
  template T y0(T);                                                                                                    \
  template T y1(T);                                                                                                    \
  template T yn(i32, T);                                                                                               \
  template T cyl_bessel_i0(T);                                                                                         \
  template T cyl_bessel_i1(T);
TILEWISE_INSTANTIATE(f32)
TILEWISE_INSTANTIATE(f64)
#undef TILEWISE_INSTANTIATE

} // namespace tilewise::libdevice::fn
