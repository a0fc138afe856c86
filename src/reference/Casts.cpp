// Conversions between element types: integers, floats, bits and addresses.
#include "reference/Loops.h"

#include "ir/Tile.h"

#include <cmath>

using namespace mlir;

namespace tilewise::reference {
namespace {

template <typename From, typename To> struct Zext {
  static To apply(From x) { return Int<To>::make(typename Int<To>::Unsigned(Int<From>::zext(x))); }
};
template <typename From, typename To> struct Sext {
  static To apply(From x) { return Int<To>::make(typename Int<To>::Unsigned(Int<From>::sext(x))); }
};

/// Float to float, rounded once: every element is exact in double.
template <typename From, typename To> struct Refloat {
  static To apply(From x) { return Float<To>::narrow(double(Float<From>::widen(x))); }
};

/// The pattern of -0 is a NaN where zero has no sign.
template <FloatFormat F> Small<F> withoutMinusZero(Small<F> x) {
  bool isMinusZero = F.special == FloatFormat::Unsigned && x.bits == F.signBit();
  return isMinusZero ? Small<F>{0} : x;
}

/// The same toward zero: the nearest one, and a step back where that lies beyond.
template <typename From, typename To> struct TowardZero {
  static To apply(From x) {
    double value = double(Float<From>::widen(x));
    To nearest = Float<To>::narrow(value);
    if (!(std::fabs(double(Float<To>::widen(nearest))) > std::fabs(value)))
      return nearest;
    // Of one sign, the bits below are those of the number nearer to zero; below infinity is the
    // largest one.
    if constexpr (std::is_same_v<To, float>)
      return std::nextafter(nearest, 0.0f);
    else if constexpr (std::is_same_v<To, double>)
      return nearest;
    else
      return withoutMinusZero(To{decltype(nearest.bits)(nearest.bits - 1)});
  }
};

/// A double that rounds to 51 bits or fewer as the integer does: what the low bits hold is kept as
/// a sticky last bit.
inline double toOddDouble(uint64_t magnitude) {
  constexpr uint64_t kLow = (1 << 11) - 1;
  if (magnitude >> 53)
    magnitude = (magnitude & ~kLow) | ((magnitude & kLow) ? kLow + 1 : 0);
  return double(magnitude);
}

template <typename To> To fromMagnitude(uint64_t magnitude, bool negative) {
  if constexpr (std::is_same_v<To, double>)
    return negative ? -double(magnitude) : double(magnitude);
  double value = toOddDouble(magnitude);
  return Float<To>::narrow(negative ? -value : value);
}

template <typename From, typename To> struct SignedToFloat {
  static To apply(From x) {
    int64_t value = Int<From>::sext(x);
    return fromMagnitude<To>(value < 0 ? 0 - uint64_t(value) : uint64_t(value), value < 0);
  }
};
template <typename From, typename To> struct UnsignedToFloat {
  static To apply(From x) { return fromMagnitude<To>(Int<From>::zext(x), false); }
};

template <typename From, typename To> struct FloatToSigned {
  static To apply(From x) {
    using U = typename Int<To>::Unsigned;
    constexpr uint64_t kLimit = uint64_t(1) << (Int<To>::kWidth - 1);
    double value = double(Float<From>::widen(x));
    if (value != value)
      return Int<To>::make(0);
    if (value >= double(kLimit))
      return Int<To>::make(U(kLimit - 1));
    if (value < -double(kLimit))
      return Int<To>::make(U(0 - kLimit));
    return Int<To>::make(U(int64_t(value)));
  }
};
template <typename From, typename To> struct FloatToUnsigned {
  static To apply(From x) {
    using U = typename Int<To>::Unsigned;
    double value = double(Float<From>::widen(x));
    if (!(value > 0))
      return Int<To>::make(0);
    if (value >= std::ldexp(1.0, Int<To>::kWidth))
      return Int<To>::make(U(~U(0)));
    return Int<To>::make(U(uint64_t(value)));
  }
};

#define TILEWISE_DECODE_CAST(name, visitFrom, visitTo, Op)                                                             \
  bool name(Operation *op, Decoder &decoder) {                                                                         \
    bool known = false;                                                                                                \
    visitFrom(*kindOf(op->getOperand(0).getType()), [&](auto from) {                                                   \
      known = visitTo(*kindOf(op->getResult(0).getType()), [&](auto to) {                                              \
        using From = typename decltype(from)::Type;                                                                    \
        using To = typename decltype(to)::Type;                                                                        \
        decoder.append(op).execute = unaryLoop<To, From, Op<From, To>>;                                                \
      });                                                                                                              \
    });                                                                                                                \
    return known;                                                                                                      \
  }
TILEWISE_DECODE_CAST(decodeZext, visitInt, visitInt, Zext)
TILEWISE_DECODE_CAST(decodeSext, visitInt, visitInt, Sext)
TILEWISE_DECODE_CAST(decodeRefloat, visitFloat, visitFloat, Refloat)
TILEWISE_DECODE_CAST(decodeTowardZero, visitFloat, visitFloat, TowardZero)
TILEWISE_DECODE_CAST(decodeSignedToFloat, visitInt, visitFloat, SignedToFloat)
TILEWISE_DECODE_CAST(decodeUnsignedToFloat, visitInt, visitFloat, UnsignedToFloat)
TILEWISE_DECODE_CAST(decodeFloatToSigned, visitFloat, visitInt, FloatToSigned)
TILEWISE_DECODE_CAST(decodeFloatToUnsigned, visitFloat, visitInt, FloatToUnsigned)
#undef TILEWISE_DECODE_CAST

} // namespace

bool decodeCasts(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::ExtUIOp, arith::TruncIOp, tile::PtrToIntOp, tile::IntToPtrOp>(
          [&](Operation *op) { return decodeZext(op, decoder); })
      .Case([&](arith::ExtSIOp op) { return decodeSext(op, decoder); })
      .Case([&](arith::TruncFOp op) {
        auto mode = op.getRoundingmode();
        if (mode == arith::RoundingMode::toward_zero)
          return decodeTowardZero(op, decoder);
        return (!mode || *mode == arith::RoundingMode::to_nearest_even) && decodeRefloat(op, decoder);
      })
      .Case([&](arith::ExtFOp op) { return decodeRefloat(op, decoder); })
      .Case([&](arith::SIToFPOp op) { return decodeSignedToFloat(op, decoder); })
      .Case([&](arith::UIToFPOp op) { return decodeUnsignedToFloat(op, decoder); })
      .Case([&](tile::FpToSiOp op) { return decodeFloatToSigned(op, decoder); })
      .Case([&](tile::FpToUiOp op) { return decodeFloatToUnsigned(op, decoder); })
      // The same bytes under another type.
      .Case<arith::BitcastOp, tile::PtrCastOp>([&](Operation *op) {
        decoder.alias(op->getResult(0), op->getOperand(0));
        return true;
      })
      .Default(false);
}

} // namespace tilewise::reference
