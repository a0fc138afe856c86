// Arithmetic and comparison of compile-time values.
#include "frontend/values/ConstantMath.h"

#include "frontend/values/Environment.h"
#include "support/Try.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilewise::frontend {

static llvm::APSInt intOf(const Operand &operand) {
  return operand.isBool() ? llvm::APSInt::get(operand.boolean() ? 1 : 0) : operand.integer();
}

static Failure tooLarge() {
  return kernelFailure("a compile-time int grew beyond " + std::to_string(kMaxIntBits) + " bits");
}

/// Back to the width the value needs, 64 bits at least.
static Operand trimmed(llvm::APInt value) {
  return Operand::ofInt(llvm::APSInt(value.trunc(std::max(64u, value.getSignificantBits())), /*isUnsigned=*/false));
}

static Operand widened(const llvm::APSInt &a, const llvm::APSInt &b, unsigned bits,
                       llvm::function_ref<llvm::APInt(llvm::APInt, llvm::APInt)> compute) {
  unsigned width = std::max({bits, a.getBitWidth(), b.getBitWidth()}) + 1;
  return trimmed(compute(a.sext(width), b.sext(width)));
}

static Result<Operand> power(const llvm::APSInt &base, const llvm::APSInt &exponent) {
  if (exponent.isNegative())
    return Operand::ofFloat(std::pow(base.roundToDouble(/*isSigned=*/true), exponent.roundToDouble(/*isSigned=*/true)));
  uint64_t count = exponent.getLimitedValue(kMaxIntBits + 1);
  unsigned bits = base.getSignificantBits();
  if (bits > 1 && (count > kMaxIntBits || count * (bits - 1) > kMaxIntBits))
    return tooLarge();
  if (bits == 1) // 0 and -1: any exponent ends at once.
    count = base.isZero() ? (exponent.isZero() ? 0 : 1) : exponent[0];
  llvm::APInt result(unsigned(count) * bits + 65, 1), factor = base.sext(result.getBitWidth());
  for (; count; count >>= 1, factor *= factor)
    if (count & 1)
      result *= factor;
  return trimmed(std::move(result));
}

static Result<Operand> intBinary(BinaryOperator op, const llvm::APSInt &a, const llvm::APSInt &b) {
  using APInt = llvm::APInt;
  unsigned wide = std::max(a.getSignificantBits(), b.getSignificantBits()) + 1;
  switch (op) {
  case BinaryOperator::Add:
    return widened(a, b, wide, [](APInt x, APInt y) { return x + y; });
  case BinaryOperator::Sub:
    return widened(a, b, wide, [](APInt x, APInt y) { return x - y; });
  case BinaryOperator::Mul: {
    unsigned bits = a.getSignificantBits() + b.getSignificantBits();
    if (bits > kMaxIntBits)
      return tooLarge();
    return widened(a, b, bits, [](APInt x, APInt y) { return x * y; });
  }
  case BinaryOperator::Div:
    if (b.isZero())
      return kernelFailure("division by zero in a compile-time expression");
    return Operand::ofFloat(a.roundToDouble(/*isSigned=*/true) / b.roundToDouble(/*isSigned=*/true));
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod: {
    if (b.isZero())
      return kernelFailure("division by zero in a compile-time expression");
    bool isMod = op == BinaryOperator::Mod;
    return widened(a, b, wide, [isMod](APInt x, APInt y) {
      APInt quotient = x.sdiv(y), remainder = x.srem(y);
      bool adjust = !remainder.isZero() && remainder.isNegative() != y.isNegative();
      if (isMod)
        return adjust ? remainder + y : remainder;
      return adjust ? quotient - 1 : quotient;
    });
  }
  case BinaryOperator::Pow:
    return power(a, b);
  case BinaryOperator::LShift: {
    if (b.isNegative())
      return kernelFailure("negative shift count in a compile-time expression");
    uint64_t count = b.getLimitedValue(kMaxIntBits + 1);
    if (count + a.getSignificantBits() > kMaxIntBits)
      return a.isZero() ? Result<Operand>(Operand::ofInt(0)) : tooLarge();
    return trimmed(a.sext(std::max(a.getBitWidth(), 64u) + unsigned(count)).shl(unsigned(count)));
  }
  case BinaryOperator::RShift: {
    if (b.isNegative())
      return kernelFailure("negative shift count in a compile-time expression");
    return trimmed(a.sext(std::max(a.getBitWidth(), 64u)).ashr(unsigned(b.getLimitedValue(a.getBitWidth()))));
  }
  case BinaryOperator::BitAnd:
    return widened(a, b, wide, [](APInt x, APInt y) { return x & y; });
  case BinaryOperator::BitOr:
    return widened(a, b, wide, [](APInt x, APInt y) { return x | y; });
  case BinaryOperator::BitXor:
    return widened(a, b, wide, [](APInt x, APInt y) { return x ^ y; });
  case BinaryOperator::MatMul:
    break;
  }
  return kernelFailure("ints have no operator '@'");
}

static Result<Operand> floatBinary(BinaryOperator op, double a, double b) {
  switch (op) {
  case BinaryOperator::Add:
    return Operand::ofFloat(a + b);
  case BinaryOperator::Sub:
    return Operand::ofFloat(a - b);
  case BinaryOperator::Mul:
    return Operand::ofFloat(a * b);
  case BinaryOperator::Div:
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod: {
    if (b == 0)
      return kernelFailure("division by zero in a compile-time expression");
    if (op == BinaryOperator::Div)
      return Operand::ofFloat(a / b);
    double remainder = std::fmod(a, b);
    if (remainder != 0 && (remainder < 0) != (b < 0))
      remainder += b;
    if (op == BinaryOperator::Mod)
      return Operand::ofFloat(remainder == 0 ? std::copysign(0.0, b) : remainder);
    return Operand::ofFloat(std::round((a - remainder) / b));
  }
  case BinaryOperator::Pow:
    return Operand::ofFloat(std::pow(a, b));
  default:
    return kernelFailure("floats have no operator '" + spelling(op).str() + "'");
  }
}

static Result<Operand> repeat(const Operand &sequence, const Operand &count) {
  int64_t times = std::max<int64_t>(0, count.asInt64().value_or(int64_t(kMaxSequence) + 1));
  size_t size = sequence.isString() ? sequence.string().size() : sequence.elements().size();
  if (size != 0 && size_t(times) > kMaxSequence / size)
    return kernelFailure("a compile-time sequence grew beyond " + std::to_string(kMaxSequence) + " elements");
  if (sequence.isString()) {
    std::string text;
    for (int64_t i = 0; size && i < times; ++i)
      text += sequence.string();
    return Operand::ofString(std::move(text));
  }
  Elements elements;
  for (int64_t i = 0; size && i < times; ++i)
    elements.insert(elements.end(), sequence.elements().begin(), sequence.elements().end());
  return sequence.isList() ? Operand::ofList(std::move(elements)) : Operand::ofTuple(std::move(elements));
}

static Result<Operand> concatenate(const Operand &lhs, const Operand &rhs) {
  if (lhs.isString()) {
    if (lhs.string().size() + rhs.string().size() > kMaxSequence)
      return kernelFailure("a compile-time string grew beyond " + std::to_string(kMaxSequence) + " characters");
    return Operand::ofString(lhs.string() + rhs.string());
  }
  Elements elements = lhs.elements();
  if (elements.size() + rhs.elements().size() > kMaxSequence)
    return kernelFailure("a compile-time sequence grew beyond " + std::to_string(kMaxSequence) + " elements");
  elements.insert(elements.end(), rhs.elements().begin(), rhs.elements().end());
  return lhs.isList() ? Operand::ofList(std::move(elements)) : Operand::ofTuple(std::move(elements));
}

Result<Operand> constantBinary(BinaryOperator op, const Operand &lhs, const Operand &rhs) {
  if (lhs.isBool() && rhs.isBool()) {
    if (op == BinaryOperator::BitAnd)
      return Operand::ofBool(lhs.boolean() && rhs.boolean());
    if (op == BinaryOperator::BitOr)
      return Operand::ofBool(lhs.boolean() || rhs.boolean());
    if (op == BinaryOperator::BitXor)
      return Operand::ofBool(lhs.boolean() != rhs.boolean());
  }
  if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isFloat() || rhs.isFloat())
      return floatBinary(op, lhs.asDouble(), rhs.asDouble());
    return intBinary(op, intOf(lhs), intOf(rhs));
  }
  auto isCount = [](const Operand &operand) { return operand.isInt() || operand.isBool(); };
  if (op == BinaryOperator::Mul && (lhs.isString() || lhs.isSequence()) && isCount(rhs))
    return repeat(lhs, rhs);
  if (op == BinaryOperator::Mul && (rhs.isString() || rhs.isSequence()) && isCount(lhs))
    return repeat(rhs, lhs);
  // Lists and tuples are both the language's tuple, so they may be joined.
  if (op == BinaryOperator::Add && ((lhs.isString() && rhs.isString()) || (lhs.isSequence() && rhs.isSequence())))
    return concatenate(lhs, rhs);
  return kernelFailure("operator '" + spelling(op).str() + "' cannot take " + lhs.kindText() + " and " +
                       rhs.kindText());
}

Result<Operand> constantUnary(UnaryOperator op, const Operand &operand) {
  if (op == UnaryOperator::Not) {
    TILEWISE_TRY(bool truth, constantTruth(operand));
    return Operand::ofBool(!truth);
  }
  if (operand.isFloat() && op != UnaryOperator::Invert)
    return Operand::ofFloat(op == UnaryOperator::Minus ? -operand.floating() : operand.floating());
  if (operand.isInt() || operand.isBool()) {
    llvm::APSInt value = intOf(operand);
    llvm::APInt wide = value.sext(value.getBitWidth() + 1);
    if (op == UnaryOperator::Minus)
      return trimmed(-wide);
    return trimmed(op == UnaryOperator::Invert ? ~wide : wide);
  }
  return kernelFailure("operator '" + spelling(op).str() + "' cannot take " + operand.kindText());
}

static int threeWay(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

static Result<bool> equal(const Operand &lhs, const Operand &rhs) {
  if (lhs.isRuntime() || rhs.isRuntime())
    return kernelFailure("a runtime value inside a tuple cannot be compared at compile time");
  if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isFloat() || rhs.isFloat())
      return lhs.asDouble() == rhs.asDouble();
    return llvm::APSInt::isSameValue(intOf(lhs), intOf(rhs));
  }
  if (lhs.isString() && rhs.isString())
    return lhs.string() == rhs.string();
  if (lhs.isNone() || rhs.isNone())
    return lhs.isNone() && rhs.isNone();
  if (lhs.isType() && rhs.isType())
    return lhs.type() == rhs.type();
  if (lhs.isFunction() && rhs.isFunction())
    return lhs.function()->definition == rhs.function()->definition && lhs.function()->lambda == rhs.function()->lambda;
  if (lhs.isBuiltin() && rhs.isBuiltin())
    return lhs.builtin() == rhs.builtin();
  if (lhs.isModule() && rhs.isModule())
    return lhs.moduleName() == rhs.moduleName();
  if (lhs.isHostObject() && rhs.isHostObject())
    return lhs.hostObject()->environment->equal(*lhs.hostObject(), *rhs.hostObject());
  if (lhs.isClass() && rhs.isClass())
    return lhs.classValue() == rhs.classValue();
  if (lhs.isDict() && rhs.isDict())
    return &lhs.entries() == &rhs.entries() || lhs.repr() == rhs.repr();
  if (lhs.isRecord() && rhs.isRecord()) {
    if (lhs.record().kind != rhs.record().kind)
      return false;
    for (auto [a, b] : llvm::zip_equal(lhs.record().fields, rhs.record().fields)) {
      TILEWISE_TRY(bool same, equal(a, b));
      if (!same)
        return false;
    }
    return true;
  }
  if (lhs.isSequence() && rhs.isSequence()) {
    if (lhs.elements().size() != rhs.elements().size())
      return false;
    for (auto [a, b] : llvm::zip(lhs.elements(), rhs.elements())) {
      TILEWISE_TRY(bool same, equal(a, b));
      if (!same)
        return false;
    }
    return true;
  }
  return false;
}

static Result<bool> contains(const Operand &container, const Operand &item) {
  if (container.isString() && item.isString())
    return container.string().find(item.string()) != std::string::npos;
  Elements keys;
  if (container.isSequence())
    keys = container.elements();
  else if (container.isDict())
    for (const auto &entry : container.entries())
      keys.push_back(entry.first);
  else
    return kernelFailure("operator 'in' cannot search " + container.kindText());
  for (const Operand &key : keys) {
    TILEWISE_TRY(bool same, equal(key, item));
    if (same)
      return true;
  }
  return false;
}

/// -1, 0 or 1; nothing when one side is NaN, for which every order is false.
static Result<std::optional<int>> order(CompareOperator op, const Operand &lhs, const Operand &rhs) {
  if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isFloat() || rhs.isFloat()) {
      double a = lhs.asDouble(), b = rhs.asDouble();
      return std::isnan(a) || std::isnan(b) ? std::nullopt : std::optional<int>(threeWay(a, b));
    }
    return std::optional<int>(llvm::APSInt::compareValues(intOf(lhs), intOf(rhs)));
  }
  if (lhs.isString() && rhs.isString())
    return std::optional<int>(llvm::StringRef(lhs.string()).compare(rhs.string()));
  if (lhs.isSequence() && rhs.isSequence()) {
    for (auto [a, b] : llvm::zip(lhs.elements(), rhs.elements())) {
      TILEWISE_TRY(bool same, equal(a, b));
      if (!same)
        return order(op, a, b);
    }
    return std::optional<int>(threeWay(double(lhs.elements().size()), double(rhs.elements().size())));
  }
  return kernelFailure("operator '" + spelling(op).str() + "' cannot compare " + lhs.kindText() + " with " +
                       rhs.kindText());
}

Result<Operand> constantCompare(CompareOperator op, const Operand &lhs, const Operand &rhs) {
  switch (op) {
  case CompareOperator::Eq:
  case CompareOperator::Ne: {
    TILEWISE_TRY(bool same, equal(lhs, rhs));
    return Operand::ofBool(same == (op == CompareOperator::Eq));
  }
  case CompareOperator::Is:
  case CompareOperator::IsNot: {
    // Identity of Python objects is equality here, kind included: `1 is True` is false.
    TILEWISE_TRY(bool same, equal(lhs, rhs));
    same = same && lhs.kindText() == rhs.kindText();
    return Operand::ofBool(same == (op == CompareOperator::Is));
  }
  case CompareOperator::In:
  case CompareOperator::NotIn: {
    TILEWISE_TRY(bool found, contains(rhs, lhs));
    return Operand::ofBool(found == (op == CompareOperator::In));
  }
  default:
    break;
  }
  TILEWISE_TRY(std::optional<int> sign, order(op, lhs, rhs));
  if (!sign)
    return Operand::ofBool(false);
  bool result = op == CompareOperator::Lt   ? *sign < 0
                : op == CompareOperator::Le ? *sign <= 0
                : op == CompareOperator::Gt ? *sign > 0
                                            : *sign >= 0;
  return Operand::ofBool(result);
}

Result<bool> constantTruth(const Operand &operand) {
  if (operand.isRuntime())
    return kernelFailure("expected a compile-time value, got a runtime " + operand.value().type.str());
  if (operand.isNone())
    return false;
  if (operand.isBool())
    return operand.boolean();
  if (operand.isInt())
    return !operand.integer().isZero();
  if (operand.isFloat())
    return operand.floating() != 0;
  if (operand.isString())
    return !operand.string().empty();
  if (operand.isSequence())
    return !operand.elements().empty();
  if (operand.isDict())
    return !operand.entries().empty();
  return true;
}

} // namespace tilewise::frontend
