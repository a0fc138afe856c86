// Functions of mathematics: computed in double and rounded once, so that for types up to f32 the
// result is within 0.5001 ulp.
#include "reference/Loops.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tilewise::reference {
namespace {

#define TILEWISE_MATH(name, expression)                                                                                \
  template <typename T> struct name {                                                                                  \
    static double compute(double x) { return expression; }                                                             \
    static T apply(T a) { return Float<T>::narrow(compute(double(Float<T>::widen(a)))); }                              \
  };
TILEWISE_MATH(Exp, std::exp(x))
TILEWISE_MATH(Exp2, std::exp2(x))
TILEWISE_MATH(ExpM1, std::expm1(x))
TILEWISE_MATH(Log, std::log(x))
TILEWISE_MATH(Log2, std::log2(x))
TILEWISE_MATH(Log10, std::log10(x))
TILEWISE_MATH(Log1p, std::log1p(x))
TILEWISE_MATH(Sqrt, std::sqrt(x))
TILEWISE_MATH(Rsqrt, 1.0 / std::sqrt(x))
TILEWISE_MATH(Cbrt, std::cbrt(x))
TILEWISE_MATH(Sin, std::sin(x))
TILEWISE_MATH(Cos, std::cos(x))
TILEWISE_MATH(Tan, std::tan(x))
TILEWISE_MATH(Asin, std::asin(x))
TILEWISE_MATH(Acos, std::acos(x))
TILEWISE_MATH(Atan, std::atan(x))
TILEWISE_MATH(Sinh, std::sinh(x))
TILEWISE_MATH(Cosh, std::cosh(x))
TILEWISE_MATH(Tanh, std::tanh(x))
TILEWISE_MATH(Erf, std::erf(x))
TILEWISE_MATH(Floor, std::floor(x))
TILEWISE_MATH(Ceil, std::ceil(x))
TILEWISE_MATH(Trunc, std::trunc(x))
TILEWISE_MATH(Round, std::round(x))
// No engine changes the rounding mode, so that rint rounds halves to even.
TILEWISE_MATH(RoundEven, std::rint(x))
#undef TILEWISE_MATH

template <typename T> struct Pow {
  static T apply(T a, T b) {
    return Float<T>::narrow(std::pow(double(Float<T>::widen(a)), double(Float<T>::widen(b))));
  }
};
template <typename T> struct Atan2 {
  static T apply(T a, T b) {
    return Float<T>::narrow(std::atan2(double(Float<T>::widen(a)), double(Float<T>::widen(b))));
  }
};

template <template <typename> typename Op> bool decodeUnary(Operation *op, Decoder &decoder) {
  return visitFloat(*kindOf(op->getResult(0).getType()), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    decoder.append(op).execute = unaryLoop<T, T, Op<T>>;
  });
}

template <template <typename> typename Op> bool decodeBinary(Operation *op, Decoder &decoder) {
  return visitFloat(*kindOf(op->getResult(0).getType()), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    decoder.append(op).execute = binaryLoop<T, T, Op<T>>;
  });
}

} // namespace

bool decodeMath(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](math::ExpOp op) { return decodeUnary<Exp>(op, decoder); })
      .Case([&](math::Exp2Op op) { return decodeUnary<Exp2>(op, decoder); })
      .Case([&](math::ExpM1Op op) { return decodeUnary<ExpM1>(op, decoder); })
      .Case([&](math::LogOp op) { return decodeUnary<Log>(op, decoder); })
      .Case([&](math::Log2Op op) { return decodeUnary<Log2>(op, decoder); })
      .Case([&](math::Log10Op op) { return decodeUnary<Log10>(op, decoder); })
      .Case([&](math::Log1pOp op) { return decodeUnary<Log1p>(op, decoder); })
      .Case([&](math::SqrtOp op) { return decodeUnary<Sqrt>(op, decoder); })
      .Case([&](math::RsqrtOp op) { return decodeUnary<Rsqrt>(op, decoder); })
      .Case([&](math::CbrtOp op) { return decodeUnary<Cbrt>(op, decoder); })
      .Case([&](math::SinOp op) { return decodeUnary<Sin>(op, decoder); })
      .Case([&](math::CosOp op) { return decodeUnary<Cos>(op, decoder); })
      .Case([&](math::TanOp op) { return decodeUnary<Tan>(op, decoder); })
      .Case([&](math::AsinOp op) { return decodeUnary<Asin>(op, decoder); })
      .Case([&](math::AcosOp op) { return decodeUnary<Acos>(op, decoder); })
      .Case([&](math::AtanOp op) { return decodeUnary<Atan>(op, decoder); })
      .Case([&](math::SinhOp op) { return decodeUnary<Sinh>(op, decoder); })
      .Case([&](math::CoshOp op) { return decodeUnary<Cosh>(op, decoder); })
      .Case([&](math::TanhOp op) { return decodeUnary<Tanh>(op, decoder); })
      .Case([&](math::ErfOp op) { return decodeUnary<Erf>(op, decoder); })
      .Case([&](math::FloorOp op) { return decodeUnary<Floor>(op, decoder); })
      .Case([&](math::CeilOp op) { return decodeUnary<Ceil>(op, decoder); })
      .Case([&](math::TruncOp op) { return decodeUnary<Trunc>(op, decoder); })
      .Case([&](math::RoundOp op) { return decodeUnary<Round>(op, decoder); })
      .Case([&](math::RoundEvenOp op) { return decodeUnary<RoundEven>(op, decoder); })
      .Case([&](math::PowFOp op) { return decodeBinary<Pow>(op, decoder); })
      .Case([&](math::Atan2Op op) { return decodeBinary<Atan2>(op, decoder); })
      .Default(false);
}

} // namespace tilewise::reference
