// Sema: load and store.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

Result<Value> Sema::checkMask(const Operand &mask, int argument) {
  TILEWISE_TRY(Value value, toValue(mask));
  if (!value.type.element.isBool())
    return fail("a mask is a tensor of bools (int1), got " + mask.kindText() + "; write mask=(x != 0)", argument);
  return value;
}

Result<Value> Sema::pointersOf(const Operand &pointer, const std::string &function) {
  if (pointer.isRuntime() && pointer.value().type.element.isPointer())
    return pointer.value();
  return fail(function + " needs a pointer or a block of pointers, got " + pointer.kindText() +
                  (pointer.isHostObject() ? "; a kernel gets memory as an argument of its launch" : ""),
              0);
}

Result<Value> Sema::load(const Operand &pointer, const Operand &mask, const Operand &other,
                         const OpSink::LoadOptions &options) {
  TILEWISE_TRY(Value address, pointersOf(pointer, "tl.load"));
  if (mask.isNone() && !other.isNone())
    return fail("tl.load has 'other' without 'mask'; without a mask every lane is loaded", 2);
  DType element = address.type.element.pointee();
  bool isBlock = address.type.isBlock();

  Value maskValue, otherValue;
  llvm::SmallVector<Value *> together{&address};
  if (!mask.isNone()) {
    TILEWISE_TRY(maskValue, checkMask(mask, 1));
    if (maskValue.type.isBlock() && !isBlock)
      return fail("tl.load of one pointer takes a scalar mask, got " + mask.kindText(), 1);
    if (!commonShape(address.type.shape, maskValue.type.shape))
      return fail("tl.load cannot fit a mask of shape " + shapeText(maskValue.type.shape) + " to pointers of shape " +
                      shapeText(address.type.shape),
                  1);
    together.push_back(&maskValue);
  }
  // A pointee of int1 is one byte in memory.
  DType inMemory = element.isBool() ? DType(Scalar::Int8) : element;
  if (!other.isNone()) {
    if (other.isNumber()) {
      TILEWISE_TRY(otherValue, numberAs(other, inMemory));
    } else {
      TILEWISE_TRY(otherValue, toValue(other));
      TILEWISE_TRY(otherValue, cast(otherValue, inMemory));
    }
    if (otherValue.type.isBlock() && !isBlock)
      return fail("tl.load of one pointer takes a scalar 'other', got " + other.kindText(), 2);
    if (!commonShape(address.type.shape, otherValue.type.shape))
      return fail("tl.load cannot fit 'other' of shape " + shapeText(otherValue.type.shape) + " to pointers of shape " +
                      shapeText(address.type.shape),
                  2);
    together.push_back(&otherValue);
  }
  TILEWISE_CHECK(broadcastAll(together));
  Value loaded =
      sink_.load(address, mask.isNone() ? nullptr : &maskValue, other.isNone() ? nullptr : &otherValue, options);
  return element.isBool() ? notEqualZero(loaded) : Result<Value>(loaded);
}

Result<Value> Sema::fitToPointers(const Value &operand, const Type &pointers, llvm::StringRef function,
                                  llvm::StringRef what, int argument) {
  auto common = commonShape(pointers.shape, operand.type.shape);
  if (!common || llvm::ArrayRef<int64_t>(*common) != llvm::ArrayRef<int64_t>(pointers.shape))
    return fail(function.str() + " cannot fit " + what.str() + " of shape " + shapeText(operand.type.shape) +
                    " into pointers of shape " + shapeText(pointers.shape),
                argument);
  Value result = operand;
  while (result.type.isBlock() && result.type.rank() < pointers.shape.size())
    result = sink_.expandDims(result, 0);
  return broadcastTo(result, pointers.shape);
}

Result<void> Sema::store(const Operand &pointer, const Operand &value, const Operand &mask,
                         const OpSink::LoadOptions &options) {
  TILEWISE_TRY(const Value address, pointersOf(pointer, "tl.store"));
  if (address.type.element.isConst())
    return fail("Cannot store to a constant pointer, got " + address.type.element.str() +
                    "; drop tl.const from the parameter, or pass memory that may be written",
                0);
  DType element = address.type.element.pointee();
  TILEWISE_TRY(Value stored, toValue(value));
  if (stored.type.isBlock() && !address.type.isBlock())
    return fail("tl.store through one pointer takes a scalar, got " + value.kindText() + "; add offsets to the pointer",
                1);
  // An address and its number are of one size.
  bool isNumberOfAddress = stored.type.element.isPointer() && element.isInt() && element.bits() == 64;
  if (stored.type.element.isPointer() != element.isPointer() && !isNumberOfAddress)
    return fail("tl.store cannot write " + value.kindText() + " through a " + address.type.element.str(), 1);
  if (value.isNumber()) {
    // A literal goes straight to the element's type where that loses nothing a cast would keep.
    TILEWISE_TRY(stored, element.isFloat() ? numberAs(value, element) : cast(stored, element));
  } else {
    TILEWISE_TRY(stored, cast(stored, element));
  }
  // A pointee of int1 is one byte in memory.
  if (element.isBool()) {
    TILEWISE_TRY(stored, cast(stored, Scalar::Int8));
  }
  TILEWISE_TRY(stored, fitToPointers(stored, address.type, "tl.store", "a value", 1));
  if (mask.isNone()) {
    sink_.store(address, stored, nullptr, options);
    return {};
  }
  TILEWISE_TRY(Value maskValue, checkMask(mask, 2));
  if (maskValue.type.isBlock() && !address.type.isBlock())
    return fail("tl.store through one pointer takes a scalar mask, got " + mask.kindText(), 2);
  TILEWISE_TRY(maskValue, fitToPointers(maskValue, address.type, "tl.store", "a mask", 2));
  sink_.store(address, stored, &maskValue, options);
  return {};
}

} // namespace tilewise::frontend
