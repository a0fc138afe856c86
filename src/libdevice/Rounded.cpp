// Arithmetic and conversions with a chosen rounding, exact: by LLVM's software floats, so that no
// rounding mode of the processor is touched.
#include "libdevice/Functions.h"

#include "llvm/ADT/APFloat.h"

namespace tilewise::libdevice::fn {

using llvm::APFloat;

template <Rounding R> static constexpr APFloat::roundingMode kMode = APFloat::rmNearestTiesToEven;
template <> constexpr APFloat::roundingMode kMode<RZ> = APFloat::rmTowardZero;
template <> constexpr APFloat::roundingMode kMode<RD> = APFloat::rmTowardNegative;
template <> constexpr APFloat::roundingMode kMode<RU> = APFloat::rmTowardPositive;

static f32 get(const APFloat &x, f32) { return x.convertToFloat(); }
static f64 get(const APFloat &x, f64) { return x.convertToDouble(); }

// To nearest is what the processor does.
#define TILEWISE_ROUNDED2(name, op, method)                                                                            \
  template <Rounding R, typename T> static T name##Of(T a, T b) {                                                      \
    if constexpr (R == RN)                                                                                             \
      return a op b;                                                                                                   \
    APFloat x(a);                                                                                                      \
    x.method(APFloat(b), kMode<R>);                                                                                    \
    return get(x, T());                                                                                                \
  }                                                                                                                    \
  template <Rounding R> f32 name(f32 a, f32 b) { return name##Of<R>(a, b); }                                           \
  template <Rounding R> f64 name(f64 a, f64 b) { return name##Of<R>(a, b); }
TILEWISE_ROUNDED2(add, +, add)
TILEWISE_ROUNDED2(sub, -, subtract)
TILEWISE_ROUNDED2(mul, *, multiply)
TILEWISE_ROUNDED2(div, /, divide)
#undef TILEWISE_ROUNDED2

template <Rounding R, typename T> static T fmaOf(T a, T b, T c) {
  if constexpr (R == RN)
    return std::fma(a, b, c);
  APFloat x(a);
  x.fusedMultiplyAdd(APFloat(b), APFloat(c), kMode<R>);
  return get(x, T());
}
template <Rounding R> f32 fma(f32 a, f32 b, f32 c) { return fmaOf<R>(a, b, c); }
template <Rounding R> f64 fma(f64 a, f64 b, f64 c) { return fmaOf<R>(a, b, c); }

/// The root to nearest, and one step from it where its exact square lies on the wrong side of x. A
/// root is positive, so that toward zero is down.
template <Rounding R, typename T> static T sqrtOf(T x) {
  T root = std::sqrt(x);
  if (R == RN || !(root > 0) || std::isinf(root))
    return root;
  // A quad holds every double and the square of every double's root exactly.
  auto quad = [](T value) {
    APFloat result(value);
    bool losesInfo;
    result.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &losesInfo);
    return result;
  };
  APFloat square = quad(root), wanted = quad(x);
  square.multiply(quad(root), APFloat::rmNearestTiesToEven);
  switch (square.compare(wanted)) {
  case APFloat::cmpGreaterThan:
    return R == RU ? root : std::nextafter(root, T(0));
  case APFloat::cmpLessThan:
    return R == RU ? std::nextafter(root, std::numeric_limits<T>::infinity()) : root;
  default:
    return root;
  }
}
template <Rounding R> f32 sqrt(f32 x) { return sqrtOf<R>(x); }
template <Rounding R> f64 sqrt(f64 x) { return sqrtOf<R>(x); }

template <Rounding R> f32 toFloat(f64 x) {
  APFloat value(x);
  bool exact;
  value.convert(APFloat::IEEEsingle(), kMode<R>, &exact);
  return value.convertToFloat();
}

template <Rounding R, typename T, typename Int> static T fromInt(Int x) {
  APFloat value(T(0));
  value.convertFromAPInt(llvm::APInt(64, u64(x)), std::is_signed_v<Int>, kMode<R>);
  return get(value, T());
}
template <Rounding R> f32 toFloat(i64 x) { return fromInt<R, f32>(x); }
template <Rounding R> f32 toFloat(u64 x) { return fromInt<R, f32>(x); }
template <Rounding R> f64 toDouble(i64 x) { return fromInt<R, f64>(x); }
template <Rounding R> f64 toDouble(u64 x) { return fromInt<R, f64>(x); }

#define TILEWISE_INSTANTIATE(R)                                                                                        \
  template f32 add<R>(f32, f32);                                                                                       \
  template f64 add<R>(f64, f64);                                                                                       \
  template f32 sub<R>(f32, f32);                                                                                       \
  template f64 sub<R>(f64, f64);                                                                                       \
  template f32 mul<R>(f32, f32);                                                                                       \
  template f64 mul<R>(f64, f64);                                                                                       \
  template f32 div<R>(f32, f32);                                                                                       \
  template f64 div<R>(f64, f64);                                                                                       \
  template f32 fma<R>(f32, f32, f32);                                                                                  \
  template f64 fma<R>(f64, f64, f64);                                                                                  \
  template f32 sqrt<R>(f32);                                                                                           \
  template f64 sqrt<R>(f64);                                                                                           \
  template f32 toFloat<R>(f64);                                                                                        \
  template f32 toFloat<R>(i64);                                                                                        \
  template f32 toFloat<R>(u64);                                                                                        \
  template f64 toDouble<R>(i64);                                                                                       \
  template f64 toDouble<R>(u64);
TILEWISE_INSTANTIATE(RN)
TILEWISE_INSTANTIATE(RZ)
TILEWISE_INSTANTIATE(RD)
TILEWISE_INSTANTIATE(RU)
#undef TILEWISE_INSTANTIATE

} // namespace tilewise::libdevice::fn
