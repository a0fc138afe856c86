// Sema: arithmetic and bit operators, and pointer arithmetic.
#include "frontend/sema/Sema.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

static bool isPointer(const Operand &operand) {
  return operand.isRuntime() && operand.value().type.element.isPointer();
}

Result<Value> Sema::pointerOffset(const Value &pointer, const Operand &offset, bool negate) {
  TILEWISE_TRY(Value amount, toValue(offset));
  if (!amount.type.element.isInt())
    return fail("a pointer moves by ints, got " + offset.kindText());
  // Unsigned offsets are extended with zeros; tile.ptr_add reads its offset as signed.
  if (amount.type.element.isUnsigned() && amount.type.element.bits() < 64) {
    TILEWISE_TRY(amount, cast(amount, Scalar::Int64));
  }
  if (negate)
    amount = sink_.binary(BinaryOp::SubInt, zeros(amount.type), amount);
  Value base = pointer;
  Value *both[] = {&base, &amount};
  TILEWISE_CHECK(broadcastAll(both));
  return sink_.pointerAdd(base, amount);
}

Result<Operand> Sema::pointerArithmetic(BinaryOperator op, const Operand &lhs, const Operand &rhs) {
  if (isPointer(lhs) && isPointer(rhs))
    return fail("two pointers have no operator '" + spelling(op).str() + "'; a pointer moves by ints");
  bool isSub = op == BinaryOperator::Sub;
  if ((op != BinaryOperator::Add && !isSub) || (isSub && isPointer(rhs)))
    return fail("operator '" + spelling(op).str() + "' cannot take " + lhs.kindText() + " and " + rhs.kindText() +
                "; a pointer moves by 'pointer + int' and 'pointer - int'");
  TILEWISE_TRY(Value moved,
               isPointer(lhs) ? pointerOffset(lhs.value(), rhs, isSub) : pointerOffset(rhs.value(), lhs, false));
  return Operand(moved);
}

static Sema::PairUse useOf(BinaryOperator op) {
  switch (op) {
  case BinaryOperator::Div:
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod:
    return Sema::PairUse::Division;
  case BinaryOperator::BitAnd:
  case BinaryOperator::BitOr:
  case BinaryOperator::BitXor:
  case BinaryOperator::LShift:
  case BinaryOperator::RShift:
    return Sema::PairUse::Bitwise;
  default:
    return Sema::PairUse::Arithmetic;
  }
}

/// The operation once more in 64 bits, which holds its exact result, against the type's range.
Result<void> Sema::assertNoOverflow(BinaryOperator op, const Value &lhs, const Value &rhs) {
  DType type = lhs.type.element;
  Value wide[2] = {lhs, rhs};
  for (Value &side : wide) {
    TILEWISE_TRY(side, cast(side, Scalar::Int64));
  }
  BinaryOp made = op == BinaryOperator::Add   ? BinaryOp::AddInt
                  : op == BinaryOperator::Sub ? BinaryOp::SubInt
                                              : BinaryOp::MulInt;
  Value exact = sink_.binary(made, wide[0], wide[1]);
  unsigned bits = type.bits();
  llvm::APInt least = type.isSigned() ? llvm::APInt::getSignedMinValue(bits).sext(64) : llvm::APInt::getZero(64);
  llvm::APInt most =
      type.isSigned() ? llvm::APInt::getSignedMaxValue(bits).sext(64) : llvm::APInt::getMaxValue(bits).zext(64);
  Value aboveLeast = sink_.compare(CompareOp::GeS, exact, sink_.constantInt(exact.type, least));
  Value belowMost = sink_.compare(CompareOp::LeS, exact, sink_.constantInt(exact.type, most));
  // A product of two 32-bit unsigned ints may not fit in 63 bits; read as signed it is then
  // negative, and so below the least.
  llvm::StringRef name = op == BinaryOperator::Add ? "add" : op == BinaryOperator::Sub ? "sub" : "mul";
  sink_.assertion(sink_.binary(BinaryOp::And, aboveLeast, belowMost),
                  type.str() + " overflow detected for operation " + name.str(), nullptr);
  return {};
}

Result<Operand> Sema::binary(BinaryOperator op, const Operand &lhs, const Operand &rhs, bool sanitize) {
  if (!lhs.isRuntime() && !rhs.isRuntime())
    return constantBinary(op, lhs, rhs);
  if (op == BinaryOperator::Pow)
    return fail("tensors have no operator '**'; for a small power write the products");
  if (op == BinaryOperator::MatMul)
    return fail("tensors have no operator '@'; write tl.dot(a, b)");
  for (const Operand *side : {&lhs, &rhs})
    if (!side->isRuntime() && !side->isNumber())
      return fail("operator '" + spelling(op).str() + "' cannot take " + lhs.kindText() + " and " + rhs.kindText(),
                  side == &rhs);
  if (isPointer(lhs) || isPointer(rhs))
    return pointerArithmetic(op, lhs, rhs);

  TILEWISE_TRY(Pair pair, promotePair(lhs, rhs, useOf(op)));
  DType type = pair.lhs.type.element;
  bool canOverflow = op == BinaryOperator::Add || op == BinaryOperator::Sub || op == BinaryOperator::Mul;
  if (facts.options.debug && facts.options.overflowChecks && sanitize && !isCombining_ && canOverflow && type.isInt() &&
      !type.isBool() && type.bits() < 64)
    TILEWISE_CHECK(assertNoOverflow(op, pair.lhs, pair.rhs));
  auto made = [&](BinaryOp made) -> Result<Operand> { return Operand(sink_.binary(made, pair.lhs, pair.rhs)); };
  switch (op) {
  case BinaryOperator::Add:
    return made(type.isFloat() ? BinaryOp::AddFloat : BinaryOp::AddInt);
  case BinaryOperator::Sub:
    return made(type.isFloat() ? BinaryOp::SubFloat : BinaryOp::SubInt);
  case BinaryOperator::Mul:
    return made(type.isFloat() ? BinaryOp::MulFloat : BinaryOp::MulInt);
  case BinaryOperator::Div: {
    if (type.isInt()) {
      TILEWISE_TRY(pair.lhs, cast(pair.lhs, Scalar::Fp32));
      TILEWISE_TRY(pair.rhs, cast(pair.rhs, Scalar::Fp32));
    }
    return made(BinaryOp::DivFloat);
  }
  case BinaryOperator::FloorDiv:
    if (type.isFloat())
      return fail("'//' takes ints, got " + lhs.kindText() + " and " + rhs.kindText() + "; write tl.floor(x / y)");
    return made(type.isSigned() ? BinaryOp::DivS : BinaryOp::DivU);
  case BinaryOperator::Mod:
    return made(type.isFloat() ? BinaryOp::RemFloat : type.isSigned() ? BinaryOp::RemS : BinaryOp::RemU);
  case BinaryOperator::LShift:
    return made(BinaryOp::Shl);
  case BinaryOperator::RShift: {
    // The tensor whose method runs decides: the left one, unless it is a number.
    DType deciding = (lhs.isRuntime() ? lhs : rhs).value().type.element;
    return made(deciding.isSigned() ? BinaryOp::ShrS : BinaryOp::ShrU);
  }
  case BinaryOperator::BitAnd:
    return made(BinaryOp::And);
  case BinaryOperator::BitOr:
    return made(BinaryOp::Or);
  case BinaryOperator::BitXor:
    return made(BinaryOp::Xor);
  case BinaryOperator::Pow:
  case BinaryOperator::MatMul:
    break;
  }
  return internalFailure("an operator without a rule");
}

Result<Operand> Sema::unary(UnaryOperator op, const Operand &operand) {
  if (!operand.isRuntime())
    return constantUnary(op, operand);
  const Value &value = operand.value();
  DType type = value.type.element;
  switch (op) {
  case UnaryOperator::Minus:
    if (type.isPointer())
      return fail("a pointer has no operator '-'");
    TILEWISE_CHECK(checkComputes(type));
    if (type.isFloat())
      return Operand(sink_.unary(UnaryOp::NegFloat, value));
    return Operand(sink_.binary(BinaryOp::SubInt, zeros(value.type), value));
  case UnaryOperator::Plus:
    return fail("tensors have no unary operator '+'; leave it out");
  case UnaryOperator::Invert:
  case UnaryOperator::Not: {
    if (op == UnaryOperator::Invert && !type.isInt())
      return fail("operator '~' takes ints, got " + operand.kindText());
    if (op == UnaryOperator::Not && type.isPointer()) {
      TILEWISE_TRY(Value set, cast(value, Scalar::Int1));
      return unary(op, Operand(set));
    }
    if (op == UnaryOperator::Not && !type.isBool())
      return fail("'not' needs a bool (int1), got " + operand.kindText() + "; write (x == 0)");
    Value ones = sink_.constantInt(value.type, llvm::APInt::getAllOnes(type.bits()));
    return Operand(sink_.binary(BinaryOp::Xor, value, ones));
  }
  }
  return internalFailure("an operator without a rule");
}

Result<Value> Sema::fdiv(const Operand &x, const Operand &y, bool ieeeRounding) {
  Value sides[2];
  for (int i : {0, 1}) {
    TILEWISE_TRY(sides[i], toValue(i ? y : x));
    if (!sides[i].type.element.isFloat())
      return fail("both operands of fdiv must have floating scalar type, got " + (i ? y : x).kindText() +
                      "; write x / y, or cast with .to(tl.float32)",
                  i);
  }
  TILEWISE_TRY(Pair pair, promotePair(Operand(sides[0]), Operand(sides[1]), PairUse::Division));
  // Division of fp64 is rounded correctly everywhere.
  if (ieeeRounding && pair.lhs.type.element.is(Scalar::Fp32))
    return sink_.externCall("fdiv_rn", {pair.lhs, pair.rhs}, Scalar::Fp32, /*impure=*/false);
  return sink_.binary(BinaryOp::DivFloat, pair.lhs, pair.rhs);
}

Result<Value> Sema::divRn(const Operand &x, const Operand &y) {
  Value sides[2];
  for (int i : {0, 1}) {
    const Operand &side = i ? y : x;
    TILEWISE_TRY(sides[i], toValue(side));
    if (side.isRuntime() && !sides[i].type.element.is(Scalar::Fp32))
      return fail("Expected dtype fp32 for tl.div_rn, got " + side.kindText() + "; cast with .to(tl.float32)", i);
    // A number may be an int; a float beyond fp32 becomes one, too.
    TILEWISE_TRY(sides[i], cast(sides[i], Scalar::Fp32));
  }
  Value *both[] = {&sides[0], &sides[1]};
  TILEWISE_CHECK(broadcastAll(both));
  return sink_.externCall("fdiv_rn", {sides[0], sides[1]}, Scalar::Fp32, /*impure=*/false);
}

/// The upper 64 of 128 bits, from products of halves: no engine needs an op of its own for it.
///     x * y = x1 y1 2^64 + (x1 y0 + x0 y1) 2^32 + x0 y0, and what the lower 64 bits carry over is in `middle`.
static Value highProduct(OpSink &sink, const Value &x, const Value &y) {
  Value shift = sink.constantInt(x.type, llvm::APInt(64, 32));
  Value mask = sink.constantInt(x.type, llvm::APInt(64, 0xffffffff));
  auto low = [&](const Value &value) { return sink.binary(BinaryOp::And, value, mask); };
  auto high = [&](const Value &value) { return sink.binary(BinaryOp::ShrU, value, shift); };
  auto times = [&](const Value &a, const Value &b) { return sink.binary(BinaryOp::MulInt, a, b); };
  auto plus = [&](const Value &a, const Value &b) { return sink.binary(BinaryOp::AddInt, a, b); };
  Value x0 = low(x), x1 = high(x), y0 = low(y), y1 = high(y);
  Value crossed[] = {times(x1, y0), times(x0, y1)};
  Value middle = plus(high(times(x0, y0)), plus(low(crossed[0]), low(crossed[1])));
  return plus(plus(times(x1, y1), high(middle)), plus(high(crossed[0]), high(crossed[1])));
}

Result<Value> Sema::umulhi(const Operand &x, const Operand &y) {
  TILEWISE_TRY(Value a, toValue(x));
  TILEWISE_TRY(Value b, toValue(y));
  TILEWISE_TRY(Pair pair, promotePair(Operand(a), Operand(b), PairUse::Arithmetic));
  DType type = pair.lhs.type.element;
  if (!type.isInt() || type.bits() < 32)
    return fail("tl.umulhi takes ints of 32 or 64 bits, got " + type.str());
  if (type.bits() == 64)
    return highProduct(sink_, pair.lhs, pair.rhs);
  // Of 32 bits it is the upper half of the product in 64.
  DType unsignedType = Scalar::UInt32;
  for (Value *side : {&pair.lhs, &pair.rhs}) {
    TILEWISE_TRY(*side, cast(*side, unsignedType));
    TILEWISE_TRY(*side, cast(*side, Scalar::UInt64));
  }
  Value product = sink_.binary(BinaryOp::MulInt, pair.lhs, pair.rhs);
  Value half = sink_.constantInt(product.type, llvm::APInt(64, 32));
  return cast(sink_.binary(BinaryOp::ShrU, product, half), type);
}

} // namespace tilewise::frontend
