// Arithmetic on floats below f32 -> f32 between conversions, and conversions -> integer ops.
#include "passes/NarrowFloats.h"

#include "ir/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::tile {

namespace {

Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// Ops on scalars, vectors or blocks, with constants spread over the lanes.
struct Lanes {
  OpBuilder &b;
  Location loc;

  Value constant(Type type, uint64_t bits) {
    Type element = getElementTypeOrSelf(type);
    TypedAttr attr = b.getIntegerAttr(element, APInt(element.getIntOrFloatBitWidth(), bits));
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return b.create<arith::ConstantOp>(loc, attr);
  }
  Value constantF32(Type type, float value) {
    TypedAttr attr = b.getF32FloatAttr(value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return b.create<arith::ConstantOp>(loc, attr);
  }
  template <typename Op> Value make(Value x, Value y) { return b.create<Op>(loc, x, y); }
  template <typename Op> Value make(Value x, uint64_t bits) {
    return b.create<Op>(loc, x, constant(x.getType(), bits));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, uint64_t bits) {
    return b.create<arith::CmpIOp>(loc, predicate, x, constant(x.getType(), bits));
  }
  Value select(Value c, Value x, Value y) { return b.create<arith::SelectOp>(loc, c, x, y); }
  Value bits(Value x, Type element) { return b.create<arith::BitcastOp>(loc, withElement(x.getType(), element), x); }
};

/// A format by its numbers: s | exponent | mantissa.
struct Format {
  unsigned exponentBits, mantissaBits;
  enum {
    Ieee,     ///< The largest exponent is infinity and NaN.
    Finite,   ///< It holds numbers, too; all ones are NaN.
    Unsigned, ///< It holds numbers, and zero has no sign: the bits of -0 are NaN.
  } specials;
  int bias;

  static std::optional<Format> of(Type type) {
    if (type.isF16())
      return Format{5, 10, Ieee, 15};
    if (type.isBF16())
      return Format{8, 7, Ieee, 127};
    if (type.isFloat8E5M2())
      return Format{5, 2, Ieee, 15};
    if (type.isFloat8E4M3FN())
      return Format{4, 3, Finite, 7};
    if (type.isFloat8E4M3FNUZ())
      return Format{4, 3, Unsigned, 8};
    if (type.isFloat8E5M2FNUZ())
      return Format{5, 2, Unsigned, 16};
    if (type.isFloat8E4M3B11FNUZ())
      return Format{4, 3, Unsigned, 11};
    return std::nullopt;
  }
  unsigned width() const { return 1 + exponentBits + mantissaBits; }
  uint64_t signBit() const { return 1ull << (width() - 1); }
  uint64_t allOnes() const { return signBit() - 1; } ///< Without the sign.
  uint64_t maxExponent() const { return (1u << exponentBits) - 1; }
};

/// narrow -> f32, exact.
Value widen(Lanes l, Value x, Format f) {
  OpBuilder &b = l.b;
  Type type32 = withElement(x.getType(), b.getI32Type()), floats = withElement(x.getType(), b.getF32Type());
  Value raw = b.create<arith::ExtUIOp>(l.loc, type32, l.bits(x, b.getIntegerType(f.width())));
  if (f.exponentBits == 8)
    return b.create<arith::BitcastOp>(l.loc, floats, l.make<arith::ShLIOp>(raw, 32 - f.width()));
  Value sign = l.make<arith::ShLIOp>(l.make<arith::AndIOp>(raw, 1ull << (f.width() - 1)), 32 - f.width());
  Value magnitude = l.make<arith::AndIOp>(raw, (1ull << (f.width() - 1)) - 1);
  // With the exponent moved into place the value is off by the difference of the biases: one exact
  // multiplication, subnormals included.
  Value moved = b.create<arith::BitcastOp>(l.loc, floats, l.make<arith::ShLIOp>(magnitude, 23 - f.mantissaBits));
  uint32_t scaleBits = uint32_t(127 + 127 - f.bias) << 23;
  Value scaled = l.make<arith::MulFOp>(moved, l.constantF32(floats, llvm::bit_cast<float>(scaleBits)));
  Value result = b.create<arith::BitcastOp>(l.loc, type32, scaled);
  if (f.specials == Format::Ieee) {
    Value special = l.compare(arith::CmpIPredicate::uge, magnitude, f.maxExponent() << f.mantissaBits);
    Value filled = l.make<arith::OrIOp>(l.make<arith::ShLIOp>(magnitude, 23 - f.mantissaBits), 0x7f800000u);
    result = l.select(special, filled, result);
  } else {
    Value nan = f.specials == Format::Finite ? l.compare(arith::CmpIPredicate::eq, magnitude, f.allOnes())
                                             : l.compare(arith::CmpIPredicate::eq, raw, f.signBit());
    result = l.select(nan, l.constant(type32, 0x7fc00000u), result);
  }
  return b.create<arith::BitcastOp>(l.loc, floats, l.make<arith::OrIOp>(result, sign));
}

/// f32 -> narrow, to nearest even.
Value narrow(Lanes l, Value x, Format f, Type result) {
  OpBuilder &b = l.b;
  Type type32 = withElement(x.getType(), b.getI32Type()), floats = withElement(x.getType(), b.getF32Type());
  Value raw = l.bits(x, b.getI32Type());
  Value sign = l.make<arith::AndIOp>(raw, 0x80000000u), magnitude = l.make<arith::AndIOp>(raw, 0x7fffffffu);
  Value isNan = l.compare(arith::CmpIPredicate::ugt, magnitude, 0x7f800000u);
  unsigned drop = 23 - f.mantissaBits;
  // Round by adding just under half of the last place, plus one when that place is odd; a carry
  // runs into the exponent as it should.
  auto rounded = [&](Value value) {
    Value odd = l.make<arith::AndIOp>(l.make<arith::ShRUIOp>(value, drop), 1);
    Value sum = l.make<arith::AddIOp>(l.make<arith::AddIOp>(value, (1ull << (drop - 1)) - 1), odd);
    return l.make<arith::ShRUIOp>(sum, drop);
  };
  Value bits;
  if (f.exponentBits == 8) {
    bits = l.select(isNan, l.make<arith::OrIOp>(l.make<arith::ShRUIOp>(magnitude, drop), 1ull << (f.mantissaBits - 1)),
                    rounded(magnitude));
  } else {
    uint32_t smallestNormal = uint32_t(127 - f.bias + 1) << 23;
    Value rebased = l.make<arith::SubIOp>(magnitude, uint32_t(127 - f.bias) << 23);
    Value normal = rounded(rebased);
    // Below the smallest normal number the hardware's own rounding does it: add a number whose last
    // place is the format's smallest.
    uint32_t magicBits = uint32_t(127 - f.bias + 1 + 23 - int(f.mantissaBits)) << 23;
    Value magic = l.constantF32(floats, llvm::bit_cast<float>(magicBits));
    Value shifted = l.make<arith::AddFOp>(b.create<arith::BitcastOp>(l.loc, floats, magnitude), magic);
    Value subnormal = l.make<arith::SubIOp>(b.create<arith::BitcastOp>(l.loc, type32, shifted), magicBits);
    bits = l.select(l.compare(arith::CmpIPredicate::ult, magnitude, smallestNormal), subnormal, normal);
    uint64_t infinity = f.maxExponent() << f.mantissaBits;
    uint64_t overflow = f.specials == Format::Ieee     ? infinity
                        : f.specials == Format::Finite ? f.allOnes()
                                                       : f.signBit();
    Value tooLarge = l.compare(arith::CmpIPredicate::ugt, bits, f.specials == Format::Ieee ? infinity : f.allOnes());
    bits = l.select(tooLarge, l.constant(type32, overflow), bits);
    // What the subtraction of the bias wrapped or rounding carried past the top is caught by size;
    // f32's own infinities are such.
    Value huge = l.compare(arith::CmpIPredicate::uge, magnitude, 0x7f800000u);
    bits = l.select(huge, l.constant(type32, overflow), bits);
    uint64_t quiet = f.specials == Format::Ieee ? infinity | (1ull << (f.mantissaBits - 1)) : overflow;
    bits = l.select(isNan, l.constant(type32, quiet), bits);
  }
  if (f.specials == Format::Unsigned) {
    // Neither zero nor NaN takes the sign.
    Value isNumber = l.compare(arith::CmpIPredicate::ult, l.make<arith::SubIOp>(bits, 1), f.allOnes());
    sign = l.select(isNumber, sign, l.constant(type32, 0));
  }
  bits = l.make<arith::OrIOp>(bits, l.make<arith::ShRUIOp>(sign, 32 - f.width()));
  Value cut = b.create<arith::TruncIOp>(l.loc, withElement(x.getType(), b.getIntegerType(f.width())), bits);
  return b.create<arith::BitcastOp>(l.loc, result, cut);
}

} // namespace

bool NarrowFloats::isNarrow(Type type) const {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < below_;
}

Operation *NarrowFloats::run(Operation *root) {
  SmallVector<Operation *> work;
  root->walk([&](Operation *op) {
    bool isArithmetic =
        isa_and_present<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isa<FpToSiOp, FpToUiOp>(op);
    if (!isArithmetic || isa<arith::BitcastOp, arith::ConstantOp, arith::SelectOp>(op))
      return;
    auto narrow = [&](Type type) { return isNarrow(type); };
    if (llvm::any_of(op->getOperandTypes(), narrow) || llvm::any_of(op->getResultTypes(), narrow))
      work.push_back(op);
  });
  for (Operation *op : work)
    if (!expand(op))
      return op;
  return nullptr;
}

Value NarrowFloats::toF32(OpBuilder &b, Location loc, Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  if (isNative_(element))
    return b.create<arith::ExtFOp>(loc, withElement(x.getType(), b.getF32Type()), x);
  auto format = Format::of(element);
  return format ? widen({b, loc}, x, *format) : Value();
}

Value NarrowFloats::fromF32(OpBuilder &b, Location loc, Value x, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isNative_(element))
    return b.create<arith::TruncFOp>(loc, type, x);
  auto format = Format::of(element);
  return format ? narrow({b, loc}, x, *format, type) : Value();
}

/// a * b + c of narrow floats, rounded once: the product is exact in f64 (22 bits at most), the sum
/// keeps what it cuts off in its last bit.
Value NarrowFloats::fmaF64Odd(OpBuilder &b, Location loc, ArrayRef<Value> narrow) {
  Lanes l{b, loc};
  SmallVector<Value> wide;
  for (Value each : narrow) {
    Value single = toF32(b, loc, each);
    if (!single)
      return {};
    wide.push_back(b.create<arith::ExtFOp>(loc, withElement(each.getType(), b.getF64Type()), single));
  }
  Value product = l.make<arith::MulFOp>(wide[0], wide[1]), sum = l.make<arith::AddFOp>(product, wide[2]);
  // Knuth's error of a sum: exact, whichever addend is larger.
  Value second = l.make<arith::SubFOp>(sum, product);
  Value error = l.make<arith::AddFOp>(l.make<arith::SubFOp>(product, l.make<arith::SubFOp>(sum, second)),
                                      l.make<arith::SubFOp>(wide[2], second));
  // error - error: zero, or NaN beside an infinity, which then counts as exact.
  Value raw = l.bits(sum, b.getI64Type()),
        inexact = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ONE, error, l.make<arith::SubFOp>(error, error));
  Value apart = l.make<arith::XOrIOp>(raw, l.bits(error, b.getI64Type()));
  Value over = l.compare(arith::CmpIPredicate::slt, apart, 0);
  Value odd = l.make<arith::OrIOp>(l.select(over, l.make<arith::SubIOp>(raw, 1), raw), 1);
  return b.create<arith::BitcastOp>(loc, sum.getType(), l.select(inexact, odd, raw));
}

/// f64 -> f32 that keeps, in its last bit, whether anything was cut off (rounding to odd): rounding
/// again is then as good as once.
Value NarrowFloats::toF32Odd(OpBuilder &b, Location loc, Value x) {
  Lanes l{b, loc};
  Type floats = withElement(x.getType(), b.getF32Type()), bits64 = withElement(x.getType(), b.getI64Type());
  Value nearest = b.create<arith::TruncFOp>(loc, floats, x);
  Value back = b.create<arith::ExtFOp>(loc, x.getType(), nearest);
  Value raw = l.bits(nearest, b.getI32Type());
  // |back| > |x|: step towards zero; then the last bit is set when inexact.
  Value magnitude = l.make<arith::AndIOp>(b.create<arith::BitcastOp>(loc, bits64, x), 0x7fffffffffffffffull);
  Value backMagnitude = l.make<arith::AndIOp>(b.create<arith::BitcastOp>(loc, bits64, back), 0x7fffffffffffffffull);
  Value over = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, backMagnitude, magnitude);
  Value inexact = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::ONE, back, x);
  Value stepped = l.select(over, l.make<arith::SubIOp>(raw, 1), raw);
  Value odd = l.select(inexact, l.make<arith::OrIOp>(stepped, 1), raw);
  return b.create<arith::BitcastOp>(loc, floats, odd);
}

/// An integer as f64, rounded to odd where 53 bits do not hold it.
Value NarrowFloats::integerToF64Odd(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  Lanes l{b, loc};
  Value x = op->getOperand(0);
  bool isSigned = isa<arith::SIToFPOp>(op);
  Type f64 = withElement(x.getType(), b.getF64Type());
  if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() == 64) {
    Value lost = l.compare(arith::CmpIPredicate::ne, l.make<arith::AndIOp>(x, 0xfff), 0);
    Value kept = l.make<arith::AndIOp>(x, ~0xfffull);
    Value sticky = l.select(lost, l.make<arith::OrIOp>(kept, 0x800), kept);
    // Small numbers are exact as they are: bits 53 and up all equal the sign.
    Value top = isSigned ? l.make<arith::ShRSIOp>(x, 53) : l.make<arith::ShRUIOp>(x, 53);
    Value small =
        l.compare(arith::CmpIPredicate::ule, isSigned ? l.make<arith::AddIOp>(top, 1) : top, isSigned ? 1 : 0);
    x = l.select(small, x, sticky);
  }
  return isSigned ? b.create<arith::SIToFPOp>(loc, f64, x).getResult() : b.create<arith::UIToFPOp>(loc, f64, x);
}

bool NarrowFloats::expand(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type result = op->getResult(0).getType();
  Value replacement;
  if (isa<math::FmaOp>(op)) {
    Value sum = fmaF64Odd(b, loc, llvm::to_vector(op->getOperands()));
    replacement = sum ? fromF32(b, loc, toF32Odd(b, loc, sum), result) : Value();
  } else if (isa<arith::ExtFOp>(op)) {
    if (isNative_(getElementTypeOrSelf(op->getOperand(0).getType())))
      return true;
    replacement = toF32(b, loc, op->getOperand(0));
    // From 8 bits to 16.
    if (replacement && getElementTypeOrSelf(result).getIntOrFloatBitWidth() < 32)
      replacement = fromF32(b, loc, replacement, result);
    else if (replacement && getElementTypeOrSelf(result).isF64())
      replacement = b.create<arith::ExtFOp>(loc, result, replacement);
  } else if (isa<arith::TruncFOp>(op)) {
    Value x = op->getOperand(0);
    if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
      x = toF32(b, loc, x);
    else if (getElementTypeOrSelf(x.getType()).isF64())
      x = toF32Odd(b, loc, x);
    else if (isNative_(getElementTypeOrSelf(result)))
      return true;
    replacement = x ? fromF32(b, loc, x, result) : Value();
  } else if (convertsIntegersToFloats(op)) {
    replacement = fromF32(b, loc, toF32Odd(b, loc, integerToF64Odd(b, op)), result);
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(isNarrow(operand.getType()) ? toF32(b, loc, operand) : operand);
      if (!operands.back())
        return false;
    }
    Type wide = isNarrow(result) ? withElement(result, b.getF32Type()) : result;
    OperationState state(loc, op->getName(), operands, wide, op->getAttrs());
    replacement = b.create(state)->getResult(0);
    if (isNarrow(result))
      replacement = fromF32(b, loc, replacement, result);
  }
  if (!replacement)
    return false;
  op->getResult(0).replaceAllUsesWith(replacement);
  op->erase();
  return true;
}

} // namespace tilewise::tile
