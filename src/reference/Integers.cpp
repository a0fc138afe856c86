// Integer arithmetic, comparisons, selects and constants; where `arith` is undefined, the tile
// dialect's total ops.
#include "reference/Loops.h"

#include "ir/Tile.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {
namespace {

// An op on integers: apply(a, b) on one element. `I` is the element's Int<>.
#define TILEWISE_INT_OP(name, expression)                                                                              \
  template <typename T> struct name {                                                                                  \
    using I = Int<T>;                                                                                                  \
    using U = typename I::Unsigned;                                                                                    \
    using S = typename I::Signed;                                                                                      \
    static T apply(T a, T b) { return I::make(U(expression)); }                                                        \
  };
TILEWISE_INT_OP(AddI, I::zext(a) + I::zext(b))
TILEWISE_INT_OP(SubI, I::zext(a) - I::zext(b))
// 16-bit factors would be promoted to int, whose overflow is undefined.
TILEWISE_INT_OP(MulI, uint64_t(I::zext(a)) * uint64_t(I::zext(b)))
TILEWISE_INT_OP(AndI, I::zext(a) & I::zext(b))
TILEWISE_INT_OP(OrI, I::zext(a) | I::zext(b))
TILEWISE_INT_OP(XorI, I::zext(a) ^ I::zext(b))
TILEWISE_INT_OP(MinSI, I::sext(a) < I::sext(b) ? I::zext(a) : I::zext(b))
TILEWISE_INT_OP(MaxSI, I::sext(a) > I::sext(b) ? I::zext(a) : I::zext(b))
TILEWISE_INT_OP(MinUI, I::zext(a) < I::zext(b) ? I::zext(a) : I::zext(b))
TILEWISE_INT_OP(MaxUI, I::zext(a) > I::zext(b) ? I::zext(a) : I::zext(b))
TILEWISE_INT_OP(DivU, I::zext(b) == 0 ? U(~U(0)) : U(I::zext(a) / I::zext(b)))
TILEWISE_INT_OP(RemU, I::zext(b) == 0 ? I::zext(a) : U(I::zext(a) % I::zext(b)))
// Division by -1 is a negation that wraps, where the processor's division of the least integer
// would trap.
TILEWISE_INT_OP(DivS, I::sext(b) == 0 ? U(~U(0)) : I::sext(b) == -1 ? U(0 - I::zext(a)) : U(I::sext(a) / I::sext(b)))
TILEWISE_INT_OP(RemS, I::sext(b) == 0 ? I::zext(a) : I::sext(b) == -1 ? U(0) : U(I::sext(a) % I::sext(b)))
TILEWISE_INT_OP(Shl, I::zext(b) >= I::kWidth ? U(0) : U(uint64_t(I::zext(a)) << I::zext(b)))
TILEWISE_INT_OP(ShrU, I::zext(b) >= I::kWidth ? U(0) : U(I::zext(a) >> I::zext(b)))
TILEWISE_INT_OP(ShrS, U(I::sext(a) >> (I::zext(b) >= I::kWidth ? I::kWidth - 1 : unsigned(I::zext(b)))))
#undef TILEWISE_INT_OP

#define TILEWISE_COMPARE(name, expression)                                                                             \
  template <typename T> struct name {                                                                                  \
    using I = Int<T>;                                                                                                  \
    static Bool apply(T a, T b) { return {uint8_t(expression)}; }                                                      \
  };
TILEWISE_COMPARE(Eq, I::zext(a) == I::zext(b))
TILEWISE_COMPARE(Ne, I::zext(a) != I::zext(b))
TILEWISE_COMPARE(Slt, I::sext(a) < I::sext(b))
TILEWISE_COMPARE(Sle, I::sext(a) <= I::sext(b))
TILEWISE_COMPARE(Ult, I::zext(a) < I::zext(b))
TILEWISE_COMPARE(Ule, I::zext(a) <= I::zext(b))
#undef TILEWISE_COMPARE

template <template <typename> typename Op> bool decodeBinary(Operation *op, Decoder &decoder) {
  return visitInt(*kindOf(op->getResult(0).getType()), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    decoder.append(op).execute = binaryLoop<T, T, Op<T>>;
  });
}

template <template <typename> typename Op> bool decodeCompare(Operation *op, Decoder &decoder, bool swap = false) {
  return visitInt(*kindOf(op->getOperand(0).getType()), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    Instruction &instruction = decoder.append(op);
    instruction.execute = binaryLoop<Bool, T, Op<T>>;
    if (swap)
      std::swap(instruction.in[0], instruction.in[1]);
  });
}

bool decodeCmpI(arith::CmpIOp op, Decoder &decoder) {
  using P = arith::CmpIPredicate;
  switch (op.getPredicate()) {
  case P::eq:
    return decodeCompare<Eq>(op, decoder);
  case P::ne:
    return decodeCompare<Ne>(op, decoder);
  case P::slt:
    return decodeCompare<Slt>(op, decoder);
  case P::sle:
    return decodeCompare<Sle>(op, decoder);
  case P::sgt:
    return decodeCompare<Slt>(op, decoder, /*swap=*/true);
  case P::sge:
    return decodeCompare<Sle>(op, decoder, /*swap=*/true);
  case P::ult:
    return decodeCompare<Ult>(op, decoder);
  case P::ule:
    return decodeCompare<Ule>(op, decoder);
  case P::ugt:
    return decodeCompare<Ult>(op, decoder, /*swap=*/true);
  case P::uge:
    return decodeCompare<Ule>(op, decoder, /*swap=*/true);
  }
  return false;
}

template <typename T> void selectLanes(const Instruction &i, Frame &frame) {
  const uint8_t *__restrict condition = frame.at<uint8_t>(i.in[0]);
  const T *__restrict yes = frame.at<T>(i.in[1]), *__restrict no = frame.at<T>(i.in[2]);
  T *__restrict out = frame.at<T>(i.out[0]);
  for (size_t k = 0; k < i.count; ++k)
    out[k] = condition[k] ? yes[k] : no[k];
}

template <typename T> void selectWhole(const Instruction &i, Frame &frame) {
  Slot chosen = *frame.at<uint8_t>(i.in[0]) ? i.in[1] : i.in[2];
  std::memcpy(frame.at<T>(i.out[0]), frame.at<T>(chosen), i.count * sizeof(T));
}

bool decodeSelect(arith::SelectOp op, Decoder &decoder) {
  bool whole = decoder.countOf(op.getCondition()) == 1;
  visitBytes(bytesOf(*kindOf(op.getType())), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    decoder.append(op).execute = whole ? selectWhole<T> : selectLanes<T>;
  });
  return true;
}

template <typename T> struct AbsI {
  using I = Int<T>;
  static T apply(T a) { return I::sext(a) < 0 ? I::make(typename I::Unsigned(0 - I::zext(a))) : a; }
};

struct ConstantDetails : Details {
  std::vector<char> bytes;
};

void fillConstant(const Instruction &i, Frame &frame) {
  const std::vector<char> &bytes = i.as<ConstantDetails>().bytes;
  std::memcpy(frame.at<char>(i.out[0]), bytes.data(), bytes.size());
}

bool decodeConstant(arith::ConstantOp op, Decoder &decoder) {
  Buffer buffer = decoder.bufferOf(op.getResult());
  unsigned element = bytesOf(*kindOf(op.getType()));
  auto details = std::make_unique<ConstantDetails>();
  details->bytes.resize(buffer.bytes);
  auto put = [&](size_t at, const llvm::APInt &bits) {
    uint64_t value = bits.getZExtValue();
    std::memcpy(details->bytes.data() + at * element, &value, element);
  };
  auto bitsOf = [](Attribute value) {
    auto integer = dyn_cast<IntegerAttr>(value);
    return integer ? integer.getValue() : cast<FloatAttr>(value).getValue().bitcastToAPInt();
  };
  size_t count = buffer.bytes / element;
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements && !isa<IntegerAttr, FloatAttr>(op.getValue()))
    return false;
  if (elements && !elements.isSplat()) {
    for (auto [at, value] : llvm::enumerate(elements.getValues<Attribute>()))
      put(at, bitsOf(value));
  } else {
    llvm::APInt bits = bitsOf(elements ? elements.getSplatValue<Attribute>() : Attribute(op.getValue()));
    for (size_t at = 0; at < count; ++at)
      put(at, bits);
  }
  Instruction &instruction = decoder.appendConstant();
  instruction.out = {buffer.slot};
  instruction.details = std::move(details);
  instruction.execute = fillConstant;
  return true;
}

} // namespace

bool decodeIntegers(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp op) { return decodeConstant(op, decoder); })
      .Case([&](arith::AddIOp op) { return decodeBinary<AddI>(op, decoder); })
      .Case([&](arith::SubIOp op) { return decodeBinary<SubI>(op, decoder); })
      .Case([&](arith::MulIOp op) { return decodeBinary<MulI>(op, decoder); })
      .Case([&](arith::AndIOp op) { return decodeBinary<AndI>(op, decoder); })
      .Case([&](arith::OrIOp op) { return decodeBinary<OrI>(op, decoder); })
      .Case([&](arith::XOrIOp op) { return decodeBinary<XorI>(op, decoder); })
      .Case([&](arith::MinSIOp op) { return decodeBinary<MinSI>(op, decoder); })
      .Case([&](arith::MaxSIOp op) { return decodeBinary<MaxSI>(op, decoder); })
      .Case([&](arith::MinUIOp op) { return decodeBinary<MinUI>(op, decoder); })
      .Case([&](arith::MaxUIOp op) { return decodeBinary<MaxUI>(op, decoder); })
      .Case([&](tile::DivSOp op) { return decodeBinary<DivS>(op, decoder); })
      .Case([&](tile::DivUOp op) { return decodeBinary<DivU>(op, decoder); })
      .Case([&](tile::RemSOp op) { return decodeBinary<RemS>(op, decoder); })
      .Case([&](tile::RemUOp op) { return decodeBinary<RemU>(op, decoder); })
      .Case([&](tile::ShlOp op) { return decodeBinary<Shl>(op, decoder); })
      .Case([&](tile::ShrSOp op) { return decodeBinary<ShrS>(op, decoder); })
      .Case([&](tile::ShrUOp op) { return decodeBinary<ShrU>(op, decoder); })
      .Case([&](math::AbsIOp op) {
        return visitInt(*kindOf(op.getType()), [&](auto tag) {
          using T = typename decltype(tag)::Type;
          decoder.append(op).execute = unaryLoop<T, T, AbsI<T>>;
        });
      })
      .Case([&](arith::CmpIOp op) { return decodeCmpI(op, decoder); })
      .Case([&](arith::SelectOp op) { return decodeSelect(op, decoder); })
      .Default(false);
}

} // namespace tilewise::reference
