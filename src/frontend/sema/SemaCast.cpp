// Sema: conversions between types.
#include "frontend/sema/NumberTypes.h"
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

Result<Value> Sema::notEqualZero(const Value &value) {
  return sink_.compare(value.type.element.isFloat() ? CompareOp::NeFloat : CompareOp::NeInt, value, zeros(value.type));
}

Result<void> Sema::checkComputes(DType type) {
  if (type.is(Scalar::Fp8E4B15))
    return fail("fp8e4b15 is a format to store in and has no arithmetic; cast with .to(tl.float16) first");
  return {};
}

/// Between the ends of a format: what lies beyond, infinities included, becomes its largest value;
/// NaN stays.
Value Sema::clampToFinite(const Value &value, DType format) {
  llvm::APFloat largest = llvm::APFloat::getLargest(floatSemantics(format));
  bool losesInfo;
  largest.convert(floatSemantics(value.type.element), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  Value high = sink_.constantFloat(value.type, largest), low = sink_.constantFloat(value.type, -largest);
  return sink_.binary(BinaryOp::MinNan, sink_.binary(BinaryOp::MaxNan, value, low), high);
}

/// fp8e4b15 is an fp16 without its topmost exponent bit and its last seven bits: s0eeeemmm0000000.
/// It has neither infinities nor NaNs. On the way in, a magnitude above 1.75 and NaN become 1.75,
/// and the rest is rounded to nearest, ties away from zero, after what is wider than fp16 has been
/// cut to fp16. So it is on the GPUs that this format was made for.
Result<Value> Sema::castFp8E4B15(const Value &value, DType to) {
  auto constant = [&](DType type, uint64_t bits) {
    return sink_.constantInt(value.type.withElement(type), llvm::APInt(type.bits(), bits));
  };
  DType word = Scalar::UInt16, half = Scalar::Fp16;
  auto op = [&](BinaryOp op, const Value &x, uint64_t y) { return sink_.binary(op, x, constant(word, y)); };
  if (value.type.element.is(Scalar::Fp8E4B15)) {
    Value bits = sink_.convert(ConvertOp::ExtendUnsigned, sink_.retype(value, Scalar::UInt8), word);
    Value magnitude = op(BinaryOp::Shl, op(BinaryOp::And, bits, 0x7f), 7);
    Value sign = op(BinaryOp::Shl, op(BinaryOp::And, bits, 0x80), 8);
    return cast(sink_.convert(ConvertOp::Bitcast, sink_.binary(BinaryOp::Or, magnitude, sign), half), to);
  }
  DType from = value.type.element;
  if (!from.is(Scalar::Fp16)) {
    bool isWide = from.is(Scalar::Fp32) || from.is(Scalar::Fp64);
    TILEWISE_TRY(Value nearer, isWide ? cast(value, half, FloatRounding::TowardZero) : cast(value, Scalar::Fp32));
    return castFp8E4B15(nearer, to);
  }
  Value bits = sink_.convert(ConvertOp::Bitcast, value, word);
  Value magnitude = op(BinaryOp::MinU, op(BinaryOp::And, bits, 0x7fff), 0x3f00);
  Value rounded = op(BinaryOp::ShrU, op(BinaryOp::AddInt, op(BinaryOp::Shl, magnitude, 1), 0x80), 8);
  Value sign = op(BinaryOp::And, op(BinaryOp::ShrU, bits, 8), 0x80);
  Value byte = sink_.convert(ConvertOp::TruncateInt, sink_.binary(BinaryOp::Or, rounded, sign), Scalar::UInt8);
  return sink_.retype(byte, to);
}

Result<Value> Sema::cast(const Value &value, DType to, FloatRounding rounding) {
  DType from = value.type.element;
  if (from == to)
    return value;
  if (from.is(Scalar::Fp8E4B15) || to.is(Scalar::Fp8E4B15)) {
    if (!from.isPointer() && !to.isPointer() && !from.isVoid() && !to.isVoid())
      return castFp8E4B15(value, to);
  }
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

  // Halves and fp8 meet everything but fp32 through fp32, which holds each of them exactly, so that
  // nothing is rounded twice; so do ints on their way to fp8, where those that fp32 rounds are
  // beyond the largest value.
  bool fromSmall = from.isFp8() || from.is(Scalar::Fp16) || from.is(Scalar::Bf16);
  if ((fromSmall && !to.is(Scalar::Fp32) && !to.isBool()) || (from.isInt() && to.isFp8())) {
    TILEWISE_TRY(Value wide, cast(value, Scalar::Fp32));
    return cast(wide, to, rounding);
  }
  if (to.isBool())
    return notEqualZero(value);
  if (from.isFloat() && to.isFloat()) {
    if (from.bits() < to.bits())
      return sink_.convert(ConvertOp::ExtendFloat, value, to);
    // The formats of 8 bits saturate, whether or not they have an infinity; those of 16 and 32 bits
    // overflow to theirs.
    Value bounded = to.isFp8() ? clampToFinite(value, to) : value;
    bool toZero = rounding == FloatRounding::TowardZero;
    return sink_.convert(toZero ? ConvertOp::TruncateFloatToZero : ConvertOp::TruncateFloat, bounded, to);
  }
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
    return fail("Cannot bitcast data-type of size " + std::to_string(from.bits()) + " to data-type of size " +
                std::to_string(to.bits()) + ", got " + from.str() + " to " + to.str() + "; a bitcast keeps the width");
  // Below, fp8e4b15 is the int of its bits.
  if (from.is(Scalar::Fp8E4B15))
    return bitcast(sink_.retype(value, Scalar::Int8), to);
  if (to.is(Scalar::Fp8E4B15)) {
    TILEWISE_TRY(Value bits, bitcast(value, Scalar::Int8));
    return sink_.retype(bits, to);
  }
  if (from.isInt() && to.isInt())
    return sink_.retype(value, to);
  return sink_.convert(ConvertOp::Bitcast, value, to);
}

Result<Value> Sema::toCondition(const Operand &operand, llvm::StringRef construct) {
  if (!operand.isRuntime())
    return fail(construct.str() + " cannot test " + operand.kindText());
  const Value &value = operand.value();
  if (value.type.isBlock() && value.type.numElements() == 1) {
    if (onWarning)
      onWarning(construct.str() + " tests a block of one element, " + value.type.str() +
                "; load a scalar, or use .item()");
    TILEWISE_TRY(Value scalar, reshape(value, {}));
    return toCondition(Operand(scalar), construct);
  }
  if (value.type.isBlock())
    return fail(construct.str() + " needs a scalar test, got " + value.type.str() +
                "; choose per element with tl.where(...)");
  if (value.type.element.isVoid())
    return fail(construct.str() + " cannot test " + operand.kindText());
  return cast(value, Scalar::Int1); // a pointer is true unless it is null
}

} // namespace tilewise::frontend
