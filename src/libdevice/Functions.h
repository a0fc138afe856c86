// The values of libdevice's functions: overload sets that the table picks from by type.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

// A product and a sum here are two roundings, also where the processor could do them in one.
#pragma STDC FP_CONTRACT OFF

namespace tilewise::libdevice::fn {

using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f32 = float;
using f64 = double;

enum Rounding { RN, RZ, RD, RU };

/// What a function of T is computed in before its result is rounded.
template <typename T> struct WideOf;
template <> struct WideOf<f32> {
  using Type = double;
};
template <> struct WideOf<f64> {
  using Type = long double;
};
template <typename T> using Wide = typename WideOf<T>::Type;

// Integers.

template <std::integral T> i32 clz(T x) { return std::countl_zero(std::make_unsigned_t<T>(x)); }
template <std::integral T> i32 popc(T x) { return std::popcount(std::make_unsigned_t<T>(x)); }
/// The place of the lowest set bit, counted from 1; 0 when there is none.
template <std::integral T> i32 ffs(T x) { return x == 0 ? 0 : 1 + std::countr_zero(std::make_unsigned_t<T>(x)); }
template <std::integral T> T brev(T x) {
  std::make_unsigned_t<T> from = x, to = 0;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
    to |= (from >> bit & 1) << (8 * sizeof(T) - 1 - bit);
  return T(to);
}
/// Byte k of the result is the one of the eight bytes of b:a that bits 4k to 4k+2 of the selector
/// name.
inline i32 bytePermute(i32 a, i32 b, i32 selector) {
  u64 bytes = u64(u32(b)) << 32 | u32(a);
  u32 result = 0;
  for (unsigned k = 0; k < 4; ++k)
    result |= u32(bytes >> 8 * (u32(selector) >> 4 * k & 7) & 0xff) << 8 * k;
  return i32(result);
}
inline i32 mulhi(i32 a, i32 b) { return i32(i64(a) * b >> 32); }
inline u32 mulhi(u32 a, u32 b) { return u32(u64(a) * b >> 32); }
inline i64 mulhi(i64 a, i64 b) { return i64(__int128(a) * b >> 64); }
inline u64 mulhi(u64 a, u64 b) { return u64(static_cast<unsigned __int128>(a) * b >> 64); }
/// The low 24 bits of each, as signed or unsigned.
inline i32 mul24(i32 a, i32 b) { return i32(u32(i32(u32(a) << 8) >> 8) * u32(i32(u32(b) << 8) >> 8)); }
inline u32 mul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
inline i32 sad(i32 a, i32 b, u32 c) { return i32(c + (a < b ? u32(b) - u32(a) : u32(a) - u32(b))); }
inline u32 sad(u32 a, u32 b, u32 c) { return c + (a < b ? b - a : a - b); }
inline i32 hadd(i32 a, i32 b) { return i32((i64(a) + b) >> 1); }
inline u32 hadd(u32 a, u32 b) { return u32((u64(a) + b) >> 1); }
inline i32 rhadd(i32 a, i32 b) { return i32((i64(a) + b + 1) >> 1); }
inline u32 rhadd(u32 a, u32 b) { return u32((u64(a) + b + 1) >> 1); }
/// The most negative int stays what it is.
template <std::signed_integral T> T abs(T x) {
  using U = std::make_unsigned_t<T>;
  return T(x < 0 ? U(0) - U(x) : U(x));
}
template <std::floating_point T> T abs(T x) { return std::fabs(x); }
template <std::integral T> T min(T a, T b) { return a < b ? a : b; }
template <std::integral T> T max(T a, T b) { return a < b ? b : a; }
template <std::floating_point T> T min(T a, T b) {
  if (a != a || b != b)
    return a != a ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <std::floating_point T> T max(T a, T b) { return -min(T(-a), T(-b)); }

// Arithmetic and conversions with a rounding: Rounded.cpp.

template <Rounding R> f32 add(f32 a, f32 b);
template <Rounding R> f64 add(f64 a, f64 b);
template <Rounding R> f32 sub(f32 a, f32 b);
template <Rounding R> f64 sub(f64 a, f64 b);
template <Rounding R> f32 mul(f32 a, f32 b);
template <Rounding R> f64 mul(f64 a, f64 b);
template <Rounding R> f32 div(f32 a, f32 b);
template <Rounding R> f64 div(f64 a, f64 b);
template <Rounding R> f32 fma(f32 a, f32 b, f32 c);
template <Rounding R> f64 fma(f64 a, f64 b, f64 c);
template <Rounding R> f32 sqrt(f32 x);
template <Rounding R> f64 sqrt(f64 x);
template <Rounding R> f32 toFloat(f64 x);
template <Rounding R> f32 toFloat(i64 x);
template <Rounding R> f32 toFloat(u64 x);
template <Rounding R> f64 toDouble(i64 x);
template <Rounding R> f64 toDouble(u64 x);
template <Rounding R> f32 rcp(f32 x) { return div<R>(1.0f, x); }
template <Rounding R> f64 rcp(f64 x) { return div<R>(1.0, x); }
template <Rounding R> f32 toFloat(i32 x) { return toFloat<R>(i64(x)); }
template <Rounding R> f32 toFloat(u32 x) { return toFloat<R>(u64(x)); }
template <Rounding R> f64 toDouble(i32 x) { return x; }
template <Rounding R> f64 toDouble(u32 x) { return x; }

/// The integral value next to x, in double, which holds those of f32 and f64.
template <Rounding R> f64 integral(f64 x) {
  return R == RN ? std::nearbyint(x) : R == RZ ? std::trunc(x) : R == RD ? std::floor(x) : std::ceil(x);
}
template <typename Int> Int saturateToInt(f64 x) {
  constexpr int kBits = 8 * sizeof(Int) - std::is_signed_v<Int>;
  if (x != x)
    return 0;
  if (x >= std::ldexp(1.0, kBits))
    return std::numeric_limits<Int>::max();
  if (x <= f64(std::numeric_limits<Int>::min()))
    return std::numeric_limits<Int>::min();
  return Int(x);
}
template <Rounding R> i32 toInt(f64 x) { return saturateToInt<i32>(integral<R>(x)); }
template <Rounding R> i32 toInt(f32 x) { return toInt<R>(f64(x)); }
template <Rounding R> i32 toUnsigned(f64 x) { return i32(saturateToInt<u32>(integral<R>(x))); }
template <Rounding R> i32 toUnsigned(f32 x) { return toUnsigned<R>(f64(x)); }
template <Rounding R> i64 toLong(f64 x) { return saturateToInt<i64>(integral<R>(x)); }
template <Rounding R> i64 toLong(f32 x) { return toLong<R>(f64(x)); }
template <Rounding R> i64 toUnsignedLong(f64 x) { return i64(saturateToInt<u64>(integral<R>(x))); }
template <Rounding R> i64 toUnsignedLong(f32 x) { return toUnsignedLong<R>(f64(x)); }
template <std::floating_point T> i64 llround(T x) { return saturateToInt<i64>(std::round(f64(x))); }

inline f64 joinWords(i32 high, i32 low) { return std::bit_cast<f64>(u64(u32(high)) << 32 | u32(low)); }
inline i32 lowWord(f64 x) { return i32(std::bit_cast<u64>(x)); }
inline i32 highWord(f64 x) { return i32(std::bit_cast<u64>(x) >> 32); }
inline f32 sameBits(i32 x) { return std::bit_cast<f32>(x); }
inline f32 sameBits(u32 x) { return std::bit_cast<f32>(x); }
inline f64 sameBits(i64 x) { return std::bit_cast<f64>(x); }
inline i32 bitsOf(f32 x) { return std::bit_cast<i32>(x); }
inline i64 bitsOf(f64 x) { return std::bit_cast<i64>(x); }

// Functions that the C library has: computed wide, rounded once.

#define TILEWISE_WIDE1(name, expression)                                                                               \
  template <std::floating_point T> T name(T arg) {                                                                     \
    Wide<T> x = arg;                                                                                                   \
    return T(expression);                                                                                              \
  }
#define TILEWISE_WIDE2(name, expression)                                                                               \
  template <std::floating_point T> T name(T arg0, T arg1) {                                                            \
    Wide<T> x = arg0, y = arg1;                                                                                        \
    return T(expression);                                                                                              \
  }
TILEWISE_WIDE1(sin, std::sin(x))
TILEWISE_WIDE1(cos, std::cos(x))
TILEWISE_WIDE1(tan, std::tan(x))
TILEWISE_WIDE1(asin, std::asin(x))
TILEWISE_WIDE1(acos, std::acos(x))
TILEWISE_WIDE1(atan, std::atan(x))
TILEWISE_WIDE2(atan2, std::atan2(x, y))
TILEWISE_WIDE1(sinh, std::sinh(x))
TILEWISE_WIDE1(cosh, std::cosh(x))
TILEWISE_WIDE1(tanh, std::tanh(x))
TILEWISE_WIDE1(asinh, std::asinh(x))
TILEWISE_WIDE1(acosh, std::acosh(x))
TILEWISE_WIDE1(atanh, std::atanh(x))
TILEWISE_WIDE1(exp, std::exp(x))
TILEWISE_WIDE1(exp2, std::exp2(x))
TILEWISE_WIDE1(exp10, std::pow(Wide<T>(10), x))
TILEWISE_WIDE1(expm1, std::expm1(x))
TILEWISE_WIDE1(log, std::log(x))
TILEWISE_WIDE1(log2, std::log2(x))
TILEWISE_WIDE1(log10, std::log10(x))
TILEWISE_WIDE1(log1p, std::log1p(x))
TILEWISE_WIDE1(rsqrt, 1 / std::sqrt(x))
TILEWISE_WIDE1(cbrt, std::cbrt(x))
TILEWISE_WIDE1(rcbrt, 1 / std::cbrt(x))
TILEWISE_WIDE2(hypot, std::hypot(x, y))
TILEWISE_WIDE1(erf, std::erf(x))
TILEWISE_WIDE1(erfc, std::erfc(x))
TILEWISE_WIDE1(tgamma, std::tgamma(x))
#undef TILEWISE_WIDE1
#undef TILEWISE_WIDE2

template <std::floating_point T> T pow(T x, T y) { return T(std::pow(Wide<T>(x), Wide<T>(y))); }
template <std::floating_point T> T pow(T x, i32 n) { return T(std::pow(Wide<T>(x), Wide<T>(n))); }

// Functions that are exact, or rounded once, in their own type.

template <std::floating_point T> T sqrt(T x) { return std::sqrt(x); }
template <std::floating_point T> T floor(T x) { return std::floor(x); }
template <std::floating_point T> T ceil(T x) { return std::ceil(x); }
template <std::floating_point T> T trunc(T x) { return std::trunc(x); }
template <std::floating_point T> T rint(T x) { return std::nearbyint(x); }
template <std::floating_point T> T nearbyint(T x) { return std::nearbyint(x); }
template <std::floating_point T> T round(T x) { return std::round(x); }
template <std::floating_point T> T fmod(T x, T y) { return std::fmod(x, y); }
template <std::floating_point T> T remainder(T x, T y) { return std::remainder(x, y); }
template <std::floating_point T> T fdim(T x, T y) { return x != x || y != y ? x + y : x > y ? x - y : T(0); }
template <std::floating_point T> T copysign(T x, T y) { return std::copysign(x, y); }
/// Not the C library's: a GPU's has lost the sign of -0, the neighbour of the least number below 0.
template <std::floating_point T> T nextafter(T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 4, i32, i64>;
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return std::copysign(std::bit_cast<T>(Bits(1)), y);
  return std::bit_cast<T>(std::bit_cast<Bits>(x) + ((x < y) == (x > 0) ? 1 : -1));
}
template <std::floating_point T> T ldexp(T x, i32 n) { return std::ldexp(x, n); }
template <std::floating_point T> T logb(T x) { return std::logb(x); }
/// INT_MIN for zero and NaN, INT_MAX for infinities.
template <std::floating_point T> i32 ilogb(T x) {
  if (x == 0 || x != x)
    return std::numeric_limits<i32>::min();
  return std::isinf(x) ? std::numeric_limits<i32>::max() : std::ilogb(x);
}
template <std::floating_point T> bool isnan(T x) { return x != x; }
template <std::floating_point T> bool isinf(T x) { return std::isinf(x); }
template <std::floating_point T> bool isfinite(T x) { return std::isfinite(x); }
template <std::floating_point T> i32 signbit(T x) { return std::signbit(x); }
/// Into [0, 1]; NaN becomes 0.
inline f32 saturate(f32 x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

// Functions of our own: Special.cpp.

f64 rcp64h(f64 x);

template <std::floating_point T> T sinpi(T x);
template <std::floating_point T> T cospi(T x);
/// The length of a vector, without overflow or underflow on the way; infinite when any part is.
template <std::floating_point T> T norm(T a, T b, T c);
template <std::floating_point T> T norm(T a, T b, T c, T d);
template <std::floating_point T> T rnorm(T a, T b, T c);
template <std::floating_point T> T rnorm(T a, T b, T c, T d);
template <std::floating_point T> T rhypot(T x, T y) { return rnorm(x, y, T(0)); }
template <std::floating_point T> T erfinv(T x);
template <std::floating_point T> T erfcinv(T x);
/// exp(x * x) * erfc(x)
template <std::floating_point T> T erfcx(T x);
template <std::floating_point T> T normcdf(T x);
template <std::floating_point T> T normcdfinv(T x);
template <std::floating_point T> T lgamma(T x);
template <std::floating_point T> T j0(T x);
template <std::floating_point T> T j1(T x);
template <std::floating_point T> T jn(i32 n, T x);
template <std::floating_point T> T y0(T x);
template <std::floating_point T> T y1(T x);
template <std::floating_point T> T yn(i32 n, T x);
template <std::floating_point T> T cyl_bessel_i0(T x);
template <std::floating_point T> T cyl_bessel_i1(T x);

} // namespace tilewise::libdevice::fn
