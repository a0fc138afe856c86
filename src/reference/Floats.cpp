// Float arithmetic and comparisons: exact results rounded once.
#include "reference/Loops.h"

#include "ir/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tilewise::reference {
namespace {

/// The smaller one, -0 below +0. A NaN wins, or loses to a number, as the op says.
template <bool kNaNWins, typename W> W least(W a, W b) {
  if (a != a || b != b)
    return (a != a) == kNaNWins ? a : b;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <bool kNaNWins, typename W> W greatest(W a, W b) { return -least<kNaNWins, W>(-a, -b); }

// An op on floats, computed in the wide type.
#define TILEWISE_FLOAT_OP(name, expression)                                                                            \
  template <typename T> struct name {                                                                                  \
    using W = typename Float<T>::Wide;                                                                                 \
    static W wide(W a, W b) { return expression; }                                                                     \
    static T apply(T a, T b) { return Float<T>::narrow(wide(Float<T>::widen(a), Float<T>::widen(b))); }                \
  };
TILEWISE_FLOAT_OP(AddF, a + b)
TILEWISE_FLOAT_OP(SubF, a - b)
TILEWISE_FLOAT_OP(MulF, a *b)
TILEWISE_FLOAT_OP(DivF, a / b)
TILEWISE_FLOAT_OP(RemF, std::fmod(a, b))
TILEWISE_FLOAT_OP(MinNumF, (least<false, W>(a, b)))
TILEWISE_FLOAT_OP(MaxNumF, (greatest<false, W>(a, b)))
TILEWISE_FLOAT_OP(MinimumF, (least<true, W>(a, b)))
TILEWISE_FLOAT_OP(MaximumF, (greatest<true, W>(a, b)))
TILEWISE_FLOAT_OP(CopySign, std::copysign(a, b))
#undef TILEWISE_FLOAT_OP

template <typename T> struct NegF {
  static T apply(T a) { return Float<T>::narrow(-Float<T>::widen(a)); }
};
template <typename T> struct AbsF {
  static T apply(T a) { return Float<T>::narrow(std::fabs(Float<T>::widen(a))); }
};

/// fma means the exact a * b + c rounded once. A product of two floats is exact in double, and the
/// sum rounded to odd can be rounded again.
template <typename T> T fuse(T a, T b, T c) {
  if constexpr (std::is_same_v<T, double>)
    return std::fma(a, b, c);
  else
    return Float<T>::narrow(
        addToOdd(double(Float<T>::widen(a)) * double(Float<T>::widen(b)), double(Float<T>::widen(c))));
}

template <typename T> void fmaLoop(const Instruction &i, Frame &frame) {
  const T *__restrict a = frame.at<T>(i.in[0]), *__restrict b = frame.at<T>(i.in[1]),
                      *__restrict c = frame.at<T>(i.in[2]);
  T *__restrict out = frame.at<T>(i.out[0]);
  for (size_t k = 0, n = i.count; k < n; ++k)
    out[k] = fuse(a[k], b[k], c[k]);
}

// Bit 0: unordered, 1: less, 2: equal, 3: greater. A predicate is the set of outcomes for which it
// holds.
enum Outcome : unsigned { Unordered = 1, Less = 2, Equal = 4, Greater = 8 };

unsigned outcomesOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse:
    return 0;
  case P::OEQ:
    return Equal;
  case P::OGT:
    return Greater;
  case P::OGE:
    return Greater | Equal;
  case P::OLT:
    return Less;
  case P::OLE:
    return Less | Equal;
  case P::ONE:
    return Less | Greater;
  case P::ORD:
    return Less | Equal | Greater;
  case P::UEQ:
    return Unordered | Equal;
  case P::UGT:
    return Unordered | Greater;
  case P::UGE:
    return Unordered | Greater | Equal;
  case P::ULT:
    return Unordered | Less;
  case P::ULE:
    return Unordered | Less | Equal;
  case P::UNE:
    return Unordered | Less | Greater;
  case P::UNO:
    return Unordered;
  case P::AlwaysTrue:
    return Unordered | Less | Equal | Greater;
  }
  return 0;
}

struct CompareDetails : Details {
  unsigned outcomes = 0;
};

template <typename T> void compareLoop(const Instruction &i, Frame &frame) {
  unsigned outcomes = i.as<CompareDetails>().outcomes;
  const T *__restrict a = frame.at<T>(i.in[0]), *__restrict b = frame.at<T>(i.in[1]);
  uint8_t *__restrict out = frame.at<uint8_t>(i.out[0]);
  for (size_t k = 0, n = i.count; k < n; ++k) {
    auto x = Float<T>::widen(a[k]), y = Float<T>::widen(b[k]);
    unsigned outcome = (x < y) * Less + (x == y) * Equal + (x > y) * Greater;
    outcome += (outcome == 0) * Unordered;
    out[k] = (outcomes & outcome) != 0;
  }
}

template <template <typename> typename Op> bool decodeBinary(Operation *op, Decoder &decoder) {
  return visitFloat(*kindOf(op->getResult(0).getType()), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    decoder.append(op).execute = binaryLoop<T, T, Op<T>>;
  });
}

template <template <typename> typename Op> bool decodeUnary(Operation *op, Decoder &decoder) {
  return visitFloat(*kindOf(op->getResult(0).getType()), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    decoder.append(op).execute = unaryLoop<T, T, Op<T>>;
  });
}

} // namespace

bool decodeFloats(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddFOp op) { return decodeBinary<AddF>(op, decoder); })
      .Case([&](arith::SubFOp op) { return decodeBinary<SubF>(op, decoder); })
      .Case([&](arith::MulFOp op) { return decodeBinary<MulF>(op, decoder); })
      .Case([&](arith::DivFOp op) { return decodeBinary<DivF>(op, decoder); })
      .Case([&](arith::RemFOp op) { return decodeBinary<RemF>(op, decoder); })
      .Case([&](arith::MinNumFOp op) { return decodeBinary<MinNumF>(op, decoder); })
      .Case([&](arith::MaxNumFOp op) { return decodeBinary<MaxNumF>(op, decoder); })
      .Case([&](arith::MinimumFOp op) { return decodeBinary<MinimumF>(op, decoder); })
      .Case([&](arith::MaximumFOp op) { return decodeBinary<MaximumF>(op, decoder); })
      .Case([&](math::CopySignOp op) { return decodeBinary<CopySign>(op, decoder); })
      .Case([&](arith::NegFOp op) { return decodeUnary<NegF>(op, decoder); })
      .Case([&](math::AbsFOp op) { return decodeUnary<AbsF>(op, decoder); })
      .Case([&](math::FmaOp op) {
        return visitFloat(*kindOf(op.getType()),
                          [&](auto tag) { decoder.append(op).execute = fmaLoop<typename decltype(tag)::Type>; });
      })
      .Case([&](arith::CmpFOp op) {
        auto details = std::make_unique<CompareDetails>();
        details->outcomes = outcomesOf(op.getPredicate());
        return visitFloat(*kindOf(op.getLhs().getType()), [&](auto tag) {
          Instruction &instruction = decoder.append(op);
          instruction.execute = compareLoop<typename decltype(tag)::Type>;
          instruction.details = std::move(details);
        });
      })
      .Default(false);
}

} // namespace tilewise::reference
