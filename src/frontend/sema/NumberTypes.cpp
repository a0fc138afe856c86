// Which number type holds a value, and the format of each.
#include "frontend/sema/NumberTypes.h"

#include <cmath>

namespace tilewise::frontend {

const llvm::fltSemantics &floatSemantics(DType type) {
  switch (type.scalar()) {
#define TILEWISE_INT_TYPE(...)
#define TILEWISE_FLOAT_TYPE(SCALAR, TW, BITS, NAME, LANGUAGE, TORCH, MANTISSA, BIAS, FORMAT, MLIR)                     \
  case Scalar::SCALAR:                                                                                                 \
    return llvm::APFloat::FORMAT();
#include "support/ElementTypes.def"
  default:
    return llvm::APFloat::IEEEsingle();
  }
}

std::optional<DType> literalType(const Operand &number) {
  if (number.isBool())
    return Scalar::Int1;
  if (number.isFloat()) {
    double magnitude = std::fabs(number.floating());
    bool holds = magnitude == 0 || !std::isfinite(magnitude) || (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127);
    return holds ? Scalar::Fp32 : Scalar::Fp64;
  }
  if (number.isInt())
    for (Scalar type : {Scalar::Int32, Scalar::UInt32, Scalar::Int64, Scalar::UInt64})
      if (holdsInt(type, number.integer()))
        return type;
  return std::nullopt;
}

bool holdsInt(DType type, const llvm::APSInt &value) {
  if (type.isSigned())
    return value.getSignificantBits() <= type.bits();
  return value.isNonNegative() && value.getActiveBits() <= type.bits();
}

} // namespace tilewise::frontend
