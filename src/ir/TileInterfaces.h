// The op interfaces of the tile dialect (TileInterfaces.td), and the same questions where ops of
// other dialects belong to a sort.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <optional>

#include "ir/TileInterfaces.h.inc"

namespace tilewise::tile {

/// Whether the op computes each element of its one result from the same elements of its operands,
/// and does nothing else.
bool isElementwise(mlir::Operation *op);

/// Whether the op is a memory access that reads and writes in one step.
bool isAtomic(mlir::Operation *op);

/// Whether the op is an integer's quotient or remainder.
bool isIntegerDivision(mlir::Operation *op);

/// Whether no load moves across the op.
bool changesMemory(mlir::Operation *op);

} // namespace tilewise::tile
