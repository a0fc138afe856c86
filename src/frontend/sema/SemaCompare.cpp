// Sema: comparisons, and, or, minimum, maximum, clamp, where.
#include "frontend/sema/Sema.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

static CompareOp compareOp(CompareOperator op, DType type) {
  bool isFloat = type.isFloat(), isSigned = type.isSigned();
  auto pick = [&](CompareOp ofFloat, CompareOp ofSigned, CompareOp ofUnsigned) {
    return isFloat ? ofFloat : isSigned ? ofSigned : ofUnsigned;
  };
  switch (op) {
  case CompareOperator::Eq:
    return pick(CompareOp::EqFloat, CompareOp::EqInt, CompareOp::EqInt);
  case CompareOperator::Lt:
    return pick(CompareOp::LtFloat, CompareOp::LtS, CompareOp::LtU);
  case CompareOperator::Le:
    return pick(CompareOp::LeFloat, CompareOp::LeS, CompareOp::LeU);
  case CompareOperator::Gt:
    return pick(CompareOp::GtFloat, CompareOp::GtS, CompareOp::GtU);
  case CompareOperator::Ge:
    return pick(CompareOp::GeFloat, CompareOp::GeS, CompareOp::GeU);
  default:
    return pick(CompareOp::NeFloat, CompareOp::NeInt, CompareOp::NeInt);
  }
}

Result<Operand> Sema::compare(CompareOperator op, const Operand &lhs, const Operand &rhs) {
  if (op == CompareOperator::Is || op == CompareOperator::IsNot) {
    // A runtime value is never None, True or a type.
    if (lhs.isRuntime() || rhs.isRuntime())
      return Operand::ofBool(op == CompareOperator::IsNot);
    return constantCompare(op, lhs, rhs);
  }
  if (!lhs.isRuntime() && !rhs.isRuntime())
    return constantCompare(op, lhs, rhs);
  if (op == CompareOperator::In || op == CompareOperator::NotIn)
    return fail("operator '" + spelling(op).str() + "' takes compile-time values, got " + lhs.kindText() + " and " +
                rhs.kindText() + "; compare with == and join with |");
  for (const Operand *side : {&lhs, &rhs})
    if (!side->isRuntime() && !side->isNumber())
      return fail("operator '" + spelling(op).str() + "' cannot compare " + lhs.kindText() + " with " + rhs.kindText() +
                      (side->isNone() ? "; write 'is None' or 'is not None'" : ""),
                  side == &rhs);
  for (const Operand *side : {&lhs, &rhs})
    if (side->isRuntime() && side->value().type.element.isPointer())
      return fail("pointers cannot be compared; cast them with .to(tl.int64) first", side == &rhs);
  // A number becomes a tensor first and so takes part in the promotion.
  TILEWISE_TRY(Value a, toValue(lhs));
  TILEWISE_TRY(Value b, toValue(rhs));
  TILEWISE_TRY(Pair pair, promotePair(Operand(a), Operand(b), PairUse::Arithmetic));
  return Operand(sink_.compare(compareOp(op, pair.lhs.type.element), pair.lhs, pair.rhs));
}

Result<Operand> Sema::logical(bool isAnd, const Operand &lhs, const Operand &rhs) {
  Value sides[2];
  for (int i : {0, 1}) {
    TILEWISE_TRY(sides[i], toValue(i ? rhs : lhs));
    if (sides[i].type.element.isPointer()) {
      TILEWISE_TRY(sides[i], cast(sides[i], Scalar::Int1));
    }
    if (!sides[i].type.element.isBool())
      return fail("'" + std::string(isAnd ? "and" : "or") + "' needs bools (int1), got " + (i ? rhs : lhs).kindText() +
                      "; write (x != 0)",
                  i);
  }
  Value *both[] = {&sides[0], &sides[1]};
  TILEWISE_CHECK(broadcastAll(both));
  return Operand(sink_.binary(isAnd ? BinaryOp::And : BinaryOp::Or, sides[0], sides[1]));
}

Result<Value> Sema::minMaxOperand(const Operand &operand) {
  TILEWISE_TRY(Value value, toValue(operand));
  return value.type.element.is(Scalar::Bf16) ? cast(value, Scalar::Fp32) : Result<Value>(value);
}

Value Sema::minMaxOf(bool isMin, const Value &x, const Value &y, NanRule rule) {
  DType type = x.type.element;
  BinaryOp op;
  if (type.isFloat())
    op = rule == NanRule::Wins ? (isMin ? BinaryOp::MinNan : BinaryOp::MaxNan)
                               : (isMin ? BinaryOp::MinNum : BinaryOp::MaxNum);
  else if (type.isSigned())
    op = isMin ? BinaryOp::MinS : BinaryOp::MaxS;
  else
    op = isMin ? BinaryOp::MinU : BinaryOp::MaxU;
  return sink_.binary(op, x, y);
}

Result<Value> Sema::minMax(bool isMin, const Operand &x, const Operand &y, NanRule rule) {
  TILEWISE_TRY(Value a, minMaxOperand(x));
  TILEWISE_TRY(Value b, minMaxOperand(y));
  TILEWISE_TRY(Pair pair, promotePair(Operand(a), Operand(b), PairUse::Arithmetic));
  return minMaxOf(isMin, pair.lhs, pair.rhs, rule);
}

Result<Value> Sema::clamp(const Operand &x, const Operand &low, const Operand &high, NanRule rule) {
  Value values[3];
  for (int i : {0, 1, 2}) {
    TILEWISE_TRY(values[i], minMaxOperand(i == 0 ? x : i == 1 ? low : high));
  }
  TILEWISE_TRY(DType type, promotedType(values[0].type.element, false, values[1].type.element, false, false));
  TILEWISE_TRY(type, promotedType(type, false, values[2].type.element, false, false));
  TILEWISE_CHECK(checkComputes(type));
  if (!type.isFloat())
    return fail("tl.clamp takes floats, got " + x.kindText() + "; write tl.minimum(tl.maximum(x, low), high)", 0);
  for (Value &value : values) {
    TILEWISE_TRY(value, cast(value, type));
  }
  Value *all[] = {&values[0], &values[1], &values[2]};
  TILEWISE_CHECK(broadcastAll(all));
  return minMaxOf(true, minMaxOf(false, values[0], values[1], rule), values[2], rule);
}

Result<Value> Sema::where(const Operand &condition, const Operand &x, const Operand &y) {
  TILEWISE_TRY(Value test, toValue(condition));
  if (!test.type.element.isBool()) {
    if (onWarning)
      onWarning("tl.where expects a bool condition, got " + condition.kindText() + "; it is tested for != 0");
    TILEWISE_TRY(test, cast(test, Scalar::Int1));
  }
  auto pointerOf = [](const Operand &operand) {
    return operand.isRuntime() && operand.value().type.element.isPointer();
  };
  Pair pair;
  if (pointerOf(x) || pointerOf(y)) {
    if (!pointerOf(x) || !pointerOf(y) || x.value().type.element != y.value().type.element)
      return fail("tl.where needs both sides of one pointer type, got " + x.kindText() + " and " + y.kindText());
    pair = {x.value(), y.value()};
  } else {
    TILEWISE_TRY(pair, promotePair(x, y, PairUse::Choice));
  }
  Value *all[] = {&test, &pair.lhs, &pair.rhs};
  TILEWISE_CHECK(broadcastAll(all));
  return sink_.select(test, pair.lhs, pair.rhs);
}

} // namespace tilewise::frontend
