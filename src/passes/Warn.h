// tile-warn: what is allowed but seldom meant. One file per warning; this is what they share.
#pragma once

#include "passes/AccessInference.h"
#include "support/Warnings.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewise::tile {

void warnUnmaskedAccess(mlir::func::FuncOp kernel, AccessInference &inference);
void warnHalfAccumulator(mlir::func::FuncOp kernel);
void warnSameAddressStore(mlir::func::FuncOp kernel);
void warnOffsetWidth(mlir::func::FuncOp kernel);
void warnMaskOther(mlir::func::FuncOp kernel, AccessInference &inference);
void warnMaskMismatch(mlir::func::FuncOp kernel, AccessInference &inference);
void warnScatterUpdate(mlir::func::FuncOp kernel);
void warnUnshiftedExp(mlir::func::FuncOp kernel);

/// On a module whose author wants -Wperf: an engine's own passes say why something is slow.
inline constexpr char kWarnPerfAttr[] = "tile.warn_perf";
bool wantsPerf(mlir::Operation *op);
/// "[perf] this load ..." at the op; notes go to what is returned.
mlir::InFlightDiagnostic warnPerf(mlir::Operation *op, const llvm::Twine &message);

/// "message [-Wname]" at the op; notes go to what is returned.
mlir::InFlightDiagnostic warn(mlir::Location place, Warning warning, const llvm::Twine &message);
inline mlir::InFlightDiagnostic warn(mlir::Operation *op, Warning warning, const llvm::Twine &message) {
  return warn(op->getLoc(), warning, message);
}

/// Whether an op that `matches` is among those that `value` is computed from, through loops and
/// branches, their conditions included.
bool isComputedFrom(mlir::Value value, llvm::function_ref<bool(mlir::Operation *)> matches);

} // namespace tilewise::tile
