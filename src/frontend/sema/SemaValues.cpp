// Sema: numbers as values, and which shapes blocks may have.
#include "frontend/sema/NumberTypes.h"
#include "frontend/sema/Sema.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace tilewise::frontend {

Result<Value> Sema::numberAs(const Operand &number, DType type) {
  if (type.isFloat()) {
    if (type.is(Scalar::Fp8E4B15)) {
      TILEWISE_TRY(Value wide, numberAs(number, Scalar::Fp32));
      return cast(wide, type);
    }
    llvm::APFloat value = toAPFloat(number, floatSemantics(type));
    // As a cast does, a constant stays finite in 8 bits; the formats without infinities have made
    // NaN of what overflows.
    bool overflows = type.isFp8() && !value.isFinite() && !std::isnan(number.asDouble());
    if (overflows)
      value = llvm::APFloat::getLargest(floatSemantics(type), std::signbit(number.asDouble()));
    return sink_.constantFloat(type, value);
  }
  if (!type.isInt())
    return fail("the number " + number.repr() + " cannot become " + type.str());
  llvm::APSInt value = number.isInt() ? number.integer() : llvm::APSInt::get(number.isBool() && number.boolean());
  if (number.isFloat()) {
    value = llvm::APSInt(type.bits(), type.isUnsigned());
    bool isExact;
    llvm::APFloat(number.floating()).convertToInteger(value, llvm::APFloat::rmTowardZero, &isExact);
  }
  if (type.isBool())
    return sink_.constantInt(type, llvm::APInt(1, !value.isZero() || (number.isFloat() && number.floating() != 0)));
  return sink_.constantInt(type, value.extOrTrunc(type.bits()));
}

Result<Value> Sema::toValue(const Operand &operand) {
  if (operand.isRuntime())
    return operand.value();
  if (!operand.isNumber())
    return fail("expected a tensor or a number, got " + operand.kindText());
  std::optional<DType> type = literalType(operand);
  if (!type)
    return fail("the int " + operand.repr() + " does not fit in 64 bits");
  return numberAs(operand, *type);
}

Value Sema::zeros(const Type &type) {
  if (type.element.isFloat() && !type.element.is(Scalar::Fp8E4B15))
    return sink_.constantFloat(type, llvm::APFloat::getZero(floatSemantics(type.element)));
  return sink_.constantInt(type, llvm::APInt::getZero(type.element.bits()));
}

Result<void> Sema::checkShape(llvm::ArrayRef<int64_t> shape) {
  constexpr int64_t kMaxElements = 1 << 20;
  int64_t count = 1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent <= 0 || !llvm::isPowerOf2_64(uint64_t(extent)))
      return fail("Shape element " + std::to_string(i) + " must be a power of 2; got " + std::to_string(extent) +
                  " in " + shapeText(shape));
    // Each factor is at most the limit, so the product below cannot overflow.
    count = extent > kMaxElements ? kMaxElements + 1 : count * extent;
    if (count > kMaxElements)
      return fail("a block has at most " + std::to_string(kMaxElements) + " elements, got shape " + shapeText(shape));
  }
  return {};
}

} // namespace tilewise::frontend
