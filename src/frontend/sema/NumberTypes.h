// Which number type holds a compile-time value, and the format of each float type.
#pragma once

#include "frontend/values/Operand.h"

#include "llvm/ADT/APFloat.h"

namespace tilewise::frontend {

/// The format of a float type, in LLVM's terms.
const llvm::fltSemantics &floatSemantics(DType type);

/// The type a literal has where nothing else decides: bool -> int1; int -> the first of int32,
/// uint32, int64, uint64 that holds it; float -> fp32 inside its normal range, else fp64. Nothing
/// when no type holds it.
std::optional<DType> literalType(const Operand &number);

bool holdsInt(DType type, const llvm::APSInt &value);

} // namespace tilewise::frontend
