// Sema: conversions between types.
#include "frontend/Sema.h"
#include "frontend/Try.h"

namespace tilewise::frontend {

Result<Value> Sema::notEqualZero(const Value &value) {
  return sink_.compare(value.type.element.isFloat() ? CompareOp::NeFloat : CompareOp::NeInt, value, zeros(value.type));
}

Result<Value> Sema::cast(const Value &value, DType to) {
  DType from = value.type.element;
  if (from == to)
    return value;
  if (from.scalar() == Scalar::Fp8E4B15 || to.scalar() == Scalar::Fp8E4B15)
    return fail("fp8e4b15 is not supported yet");
  if (from.isPointer() || to.isPointer()) {
    if (from.isPointer() && to.isPointer())
      return from.pointee() == to.pointee() ? sink_.retype(value, to)
                                            : sink_.convert(ConvertOp::PointerCast, value, to);
    if (from.isPointer() && to.isInt() && (to.bits() == 64 || to.isBool())) {
      Value address = sink_.convert(ConvertOp::PointerToInt, value, to.isBool() ? DType(Scalar::Int64) : to);
      return to.isBool() ? notEqualZero(address) : Result<Value>(address);
    }
    if (to.isPointer() && from.isInt()) {
      TILEWISE_TRY(Value address, cast(value, Scalar::Int64));
      return sink_.convert(ConvertOp::IntToPointer, address, to);
    }
    return fail("cannot cast " + from.str() + " to " + to.str() +
                (from.isPointer() ? "; an address is 64 bits: .to(tl.int64)" : ""));
  }
  if (to.isVoid() || from.isVoid())
    return fail("cannot cast " + from.str() + " to " + to.str());

  // Halves and fp8 meet everything but fp32 through fp32, which holds each of them exactly; so do ints on their way to fp8.
  bool fromSmall = from.isFp8() || from.is(Scalar::Fp16) || from.is(Scalar::Bf16);
  if ((fromSmall && !to.is(Scalar::Fp32) && !to.isBool()) || (from.isInt() && to.isFp8())) {
    TILEWISE_TRY(Value wide, cast(value, Scalar::Fp32));
    return cast(wide, to);
  }
  if (to.isBool())
    return notEqualZero(value);
  if (from.isFloat() && to.isFloat())
    return sink_.convert(from.bits() > to.bits() ? ConvertOp::TruncateFloat : ConvertOp::ExtendFloat, value, to);
  if (from.isFloat())
    return sink_.convert(to.isSigned() ? ConvertOp::FloatToSigned : ConvertOp::FloatToUnsigned, value, to);
  if (to.isFloat())
    return sink_.convert(from.isSigned() ? ConvertOp::SignedToFloat : ConvertOp::UnsignedToFloat, value, to);
  if (from.bits() == to.bits())
    return sink_.retype(value, to);
  if (from.bits() > to.bits())
    return sink_.convert(ConvertOp::TruncateInt, value, to);
  return sink_.convert(from.isSigned() ? ConvertOp::ExtendSigned : ConvertOp::ExtendUnsigned, value, to);
}

Result<Value> Sema::bitcast(const Value &value, DType to) {
  DType from = value.type.element;
  if (from == to)
    return value;
  if (from.isPointer() || to.isPointer())
    return cast(value, to);
  if (from.bits() != to.bits())
    return fail("a bitcast keeps the width, got " + from.str() + " (" + std::to_string(from.bits()) + " bits) to " +
                to.str() + " (" + std::to_string(to.bits()) + " bits)");
  if (from.isInt() && to.isInt())
    return sink_.retype(value, to);
  return sink_.convert(ConvertOp::Bitcast, value, to);
}

Result<Value> Sema::toCondition(const Operand &operand, llvm::StringRef construct) {
  if (!operand.isRuntime())
    return fail(construct.str() + " cannot test " + operand.kindText());
  const Value &value = operand.value();
  if (value.type.isBlock())
    return fail(construct.str() + " needs a scalar test, got " + value.type.str() +
                "; choose per element with tl.where(...)");
  if (value.type.element.isPointer() || value.type.element.isVoid())
    return fail(construct.str() + " cannot test " + operand.kindText());
  return cast(value, Scalar::Int1);
}

} // namespace tilewise::frontend
