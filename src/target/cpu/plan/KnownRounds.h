// How often loops run, as far as that is known when compiling.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <optional>

namespace tilewise::cpu {

inline std::optional<int64_t> knownRounds(mlir::scf::ForOp loop) {
  auto low = mlir::getConstantIntValue(loop.getLowerBound()), high = mlir::getConstantIntValue(loop.getUpperBound()),
       step = mlir::getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *step <= 0)
    return std::nullopt;
  return *high > *low ? (*high - *low + *step - 1) / *step : 0;
}

/// Of all loops around an op; those of which it is not known, or which do not run, count as one.
inline int64_t knownRoundsAround(mlir::Operation *op) {
  int64_t rounds = 1;
  for (auto loop = op->getParentOfType<mlir::scf::ForOp>(); loop; loop = loop->getParentOfType<mlir::scf::ForOp>())
    rounds *= std::max<int64_t>(1, knownRounds(loop).value_or(1));
  return rounds;
}

} // namespace tilewise::cpu
