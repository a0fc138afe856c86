// Sema: atomic operations on memory.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

static std::string nameOf(Sema::Atomic op) {
  static constexpr llvm::StringLiteral names[] = {"add", "max", "min", "and", "or", "xor", "xchg"};
  return "tl.atomic_" + names[size_t(op)].str();
}

/// Whether the operation takes elements of this type; the widths are those that memory systems
/// have.
static bool takes(Sema::Atomic op, DType type) {
  bool isWide = type.bits() == 32 || type.bits() == 64;
  switch (op) {
  case Sema::Atomic::Add:
    return (isWide && !type.isPointer()) || type.is(Scalar::Fp16) || type.is(Scalar::Bf16);
  case Sema::Atomic::Max:
  case Sema::Atomic::Min:
  case Sema::Atomic::Exchange:
    return isWide && !type.isPointer();
  case Sema::Atomic::And:
  case Sema::Atomic::Or:
  case Sema::Atomic::Xor:
    return isWide && type.isInt();
  }
  return false;
}

/// Floats order as their bits do, apart from the sign: max of a value that is not negative is a
/// signed max of the bits, of a negative one an unsigned min. So -0.0 < +0.0, and a NaN orders by
/// its bits.
Value Sema::floatExtremum(bool isMax, const Value &pointer, const Value &value, const Value *mask,
                          const OpSink::AtomicOptions &options) {
  DType type = value.type.element, bits = type.bits() == 32 ? Scalar::Int32 : Scalar::Int64;
  Value asInt = sink_.convert(ConvertOp::Bitcast, value, bits);
  Value at = sink_.convert(ConvertOp::PointerCast, pointer, bits.pointerTo());
  Value negative = sink_.compare(CompareOp::LtS, asInt, zeros(asInt.type));
  Value positive = sink_.binary(BinaryOp::Xor, negative, sink_.constantInt(negative.type, llvm::APInt(1, 1)));
  auto masked = [&](const Value &lanes) { return mask ? sink_.binary(BinaryOp::And, lanes, *mask) : lanes; };
  Value positiveLanes = masked(positive), negativeLanes = masked(negative);
  Value fromPositive = sink_.atomic(isMax ? AtomicOp::MaxS : AtomicOp::MinS, at, asInt, &positiveLanes, options);
  Value fromNegative = sink_.atomic(isMax ? AtomicOp::MinU : AtomicOp::MaxU, at, asInt, &negativeLanes, options);
  return sink_.convert(ConvertOp::Bitcast, sink_.select(positive, fromPositive, fromNegative), type);
}

Result<Value> Sema::atomic(Atomic op, const Operand &pointer, const Operand &value, const Operand &mask,
                           const OpSink::AtomicOptions &options) {
  std::string name = nameOf(op);
  TILEWISE_TRY(const Value address, pointersOf(pointer, name));
  if (address.type.element.isConst())
    return fail("Cannot store to a constant pointer: " + name + " got " + pointer.kindText(), 0);
  DType element = address.type.element.pointee();
  if (!takes(op, element))
    return fail(name + " does not support " + element.str(), 0);
  TILEWISE_TRY(Value operand, value.isNumber() ? numberAs(value, element) : toValue(value));
  TILEWISE_TRY(operand, cast(operand, element));
  TILEWISE_TRY(operand, fitToPointers(operand, address.type, name, "a value", 1));
  Value lanes;
  if (!mask.isNone()) {
    TILEWISE_TRY(lanes, checkMask(mask, 2));
    TILEWISE_TRY(lanes, fitToPointers(lanes, address.type, name, "a mask", 2));
  }
  const Value *laneMask = mask.isNone() ? nullptr : &lanes;
  bool isExtremum = op == Atomic::Max || op == Atomic::Min;
  if (isExtremum && element.isFloat())
    return floatExtremum(op == Atomic::Max, address, operand, laneMask, options);
  auto pick = [&]() -> AtomicOp {
    switch (op) {
    case Atomic::Add:
      return element.isFloat() ? AtomicOp::AddFloat : AtomicOp::AddInt;
    case Atomic::Max:
      return element.isSigned() ? AtomicOp::MaxS : AtomicOp::MaxU;
    case Atomic::Min:
      return element.isSigned() ? AtomicOp::MinS : AtomicOp::MinU;
    case Atomic::And:
      return AtomicOp::And;
    case Atomic::Or:
      return AtomicOp::Or;
    case Atomic::Xor:
      return AtomicOp::Xor;
    case Atomic::Exchange:
      break;
    }
    return AtomicOp::Exchange;
  };
  return sink_.atomic(pick(), address, operand, laneMask, options);
}

Result<Value> Sema::compareAndSwap(const Operand &pointer, const Operand &expected, const Operand &value,
                                   const OpSink::AtomicOptions &options) {
  TILEWISE_TRY(const Value address, pointersOf(pointer, "tl.atomic_cas"));
  DType element = address.type.element.pointee();
  if (element.isPointer() || element.bits() < 16)
    return fail("tl.atomic_cas: atomic_cas only supports elements with width {16, 32, 64}, got " + element.str(), 0);
  if (address.type.element.isConst())
    return fail("Cannot store to a constant pointer: tl.atomic_cas got " + pointer.kindText(), 0);
  auto fitted = [&](const Operand &operand, llvm::StringRef what, int argument) -> Result<Value> {
    TILEWISE_TRY(Value result, operand.isNumber() ? numberAs(operand, element) : toValue(operand));
    if (result.type.element != element)
      return fail("tl.atomic_cas converts nothing: expected " + element.str() + ", got " + operand.kindText() +
                      "; cast it with .to(...)",
                  argument);
    return fitToPointers(result, address.type, "tl.atomic_cas", what, argument);
  };
  TILEWISE_TRY(Value old, fitted(expected, "a value to expect", 1));
  TILEWISE_TRY(Value replacement, fitted(value, "a value", 2));
  return sink_.compareAndSwap(address, old, replacement, options);
}

} // namespace tilewise::frontend
