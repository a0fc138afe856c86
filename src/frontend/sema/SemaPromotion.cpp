// Sema: the type two operands meet in.
#include "frontend/sema/NumberTypes.h"
#include "frontend/sema/Sema.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

/// bool < int < float.
static int kindRank(DType type) { return type.isBool() ? 0 : type.isInt() ? 1 : 2; }

/// C's rule: of one sign the wider; of two signs the unsigned one if it is at least as wide.
static DType promotedInt(DType a, DType b) {
  if (a.isSigned() == b.isSigned())
    return a.bits() > b.bits() ? a : b;
  DType unsignedSide = a.isSigned() ? b : a, signedSide = a.isSigned() ? a : b;
  return unsignedSide.bits() >= signedSide.bits() ? unsignedSide : signedSide;
}

Result<DType> Sema::promotedType(DType a, bool aIsNumber, DType b, bool bIsNumber, bool division) {
  if (aIsNumber != bIsNumber) {
    DType number = aIsNumber ? a : b, tensor = aIsNumber ? b : a;
    if (kindRank(number) <= kindRank(tensor))
      return division && tensor.isFloat() && !tensor.is(Scalar::Fp64) ? DType(Scalar::Fp32) : tensor;
  }
  auto either = [&](Scalar scalar) { return a.is(scalar) || b.is(scalar); };
  if (either(Scalar::Fp64))
    return DType(Scalar::Fp64);
  if (division && (a.isFloat() || b.isFloat()))
    return DType(Scalar::Fp32);
  if (either(Scalar::Fp32))
    return DType(Scalar::Fp32);
  if (either(Scalar::Fp16))
    return DType(Scalar::Fp16);
  if (either(Scalar::Bf16))
    return a == b ? a : DType(Scalar::Fp32);
  if (a.isFp8() && b.isFp8())
    return a == b ? a : DType(Scalar::Fp16);
  if (!a.isInt() || !b.isInt())
    return fail("no common type of " + a.str() + " and " + b.str() + "; cast one of them with .to(...)");
  if (division && a.isSigned() != b.isSigned())
    return fail("Cannot use '/', '//' or '%' on " + a.str() + " and " + b.str() +
                " because they have different signedness; cast one side to the other's type");
  return promotedInt(a, b);
}

Result<Sema::Pair> Sema::promotePair(const Operand &lhs, const Operand &rhs, PairUse use) {
  auto typeOf = [&](const Operand &operand, int argument) -> Result<DType> {
    if (operand.isRuntime())
      return operand.value().type.element;
    if (!operand.isNumber())
      return fail("expected a tensor or a number, got " + operand.kindText(), argument);
    if (std::optional<DType> type = literalType(operand))
      return *type;
    return fail("the int " + operand.repr() + " does not fit in 64 bits", argument);
  };
  TILEWISE_TRY(DType a, typeOf(lhs, 0));
  TILEWISE_TRY(DType b, typeOf(rhs, 1));
  if (a.isPointer() || b.isPointer())
    return fail("expected numbers, got " + lhs.kindText() + " and " + rhs.kindText());
  if (use == PairUse::Bitwise && (!a.isInt() || !b.isInt()))
    return fail("bit operators take ints: invalid operands of type " + lhs.kindText() + " and " + rhs.kindText(),
                a.isInt() ? 1 : 0);
  TILEWISE_TRY(DType type, promotedType(a, lhs.isNumber(), b, rhs.isNumber(), use == PairUse::Division));
  if (use != PairUse::Choice) {
    TILEWISE_CHECK(checkComputes(type));
  }

  auto converted = [&](const Operand &operand, int argument) -> Result<Value> {
    if (operand.isRuntime())
      return cast(operand.value(), type);
    if (type.isInt() && operand.isInt() && !holdsInt(type, operand.integer())) {
      if (type.isUnsigned() && operand.integer().isNegative())
        return fail("the negative number " + operand.repr() + " meets the unsigned type " + type.str() +
                        "; cast the tensor to a signed type first",
                    argument);
      return fail("the number " + operand.repr() + " is out of range for " + type.str(), argument);
    }
    return numberAs(operand, type);
  };
  Pair pair;
  TILEWISE_TRY(pair.lhs, converted(lhs, 0));
  TILEWISE_TRY(pair.rhs, converted(rhs, 1));
  Value *both[] = {&pair.lhs, &pair.rhs};
  TILEWISE_CHECK(broadcastAll(both));
  return pair;
}

Result<Sema::LoopRange> Sema::loopRange(const Operand &start, const Operand &end, const Operand &step) {
  LoopRange range;
  const Operand *bounds[] = {&start, &end, &step};
  Value *values[] = {&range.start, &range.end, &range.step};
  for (int i : {0, 1, 2}) {
    auto value = toValue(*bounds[i]);
    if (!value) {
      blamed_ = i;
      return value.takeFailure();
    }
    *values[i] = std::move(*value);
    const Type &type = values[i]->type;
    if (type.isBlock() || !type.element.isInt())
      return fail("a loop's bounds are scalar ints, got " + bounds[i]->kindText() +
                      (type.isBlock()             ? "; reduce it to a scalar"
                       : type.element.isPointer() ? "; load the number with tl.load"
                                                  : "; write it with .to(tl.int32)"),
                  i);
  }
  if (!step.isRuntime() && *step.asInt64() == 0)
    return fail("a loop's step must not be 0", 2);
  TILEWISE_TRY(range.variable,
               promotedType(range.start.type.element, false, range.end.type.element, false, /*division=*/false));
  TILEWISE_TRY(range.variable, promotedType(range.variable, false, range.step.type.element, false, /*division=*/false));
  if (range.variable.isBool())
    range.variable = Scalar::Int32;
  // Loops compare as signed; an unsigned variable counts in the next wider signed type and is cut
  // back inside.
  range.counter = range.variable.isSigned()    ? range.variable
                  : range.variable.bits() < 32 ? DType(Scalar::Int32)
                                               : DType(Scalar::Int64);
  for (Value *value : values) {
    TILEWISE_TRY(*value, cast(*value, range.counter));
  }
  return range;
}

} // namespace tilewise::frontend
