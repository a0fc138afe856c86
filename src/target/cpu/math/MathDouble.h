// Math functions of f64 that MathFunctions.cpp picks; bounds stand in MathFunctions.h.
#pragma once

#include "target/cpu/math/MathFunctions.h"

namespace tilewise::cpu {

mlir::Value logOfDouble(MathLanes &lanes, mlir::Value x, bool base2);
/// For |x| up to 2^20.
mlir::Value sineOrCosineOfDouble(MathLanes &lanes, mlir::Value x, bool cosine);

/// The function of libdevice on f64 of that name; null when it is none of those that are made of
/// arithmetic, or the processor has no FMA.
mlir::Value expandDoubleFunction(MathLanes &lanes, llvm::StringRef symbol, llvm::ArrayRef<mlir::Value> operands);

} // namespace tilewise::cpu
