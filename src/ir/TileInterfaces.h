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

/// Whether the op is a memory access that only reads, or only writes.
bool isLoad(mlir::Operation *op);
bool isStore(mlir::Operation *op);

/// Whether no load moves across the op.
bool changesMemory(mlir::Operation *op);

/// Arithmetic that facts are followed through: of signed integers and of floats, be they scalars,
/// blocks or vectors. `Widening` is the same number in a wider type.
enum class Arithmetic { Other, Sum, Difference, Product, Smallest, Largest, Widening };
Arithmetic arithmeticOf(mlir::Operation *op);

/// A maximum or minimum of two floats.
struct FloatExtreme {
  bool isLargest;
  bool givesNan; ///< If one of the two is NaN; else it gives the other.
};
std::optional<FloatExtreme> floatExtreme(mlir::Operation *op);

/// Whether the op raises e or 2 to a power.
bool isExponential(mlir::Operation *op);

/// Whether the op converts floats to another type of floats, or integers to floats.
bool convertsFloats(mlir::Operation *op);
bool convertsIntegersToFloats(mlir::Operation *op);

/// Whether the result is the operand in another shape, its elements in the same row-major order.
bool onlyReshapes(mlir::Operation *op);

/// Whether the op's operands become arguments or results of a loop or branch: a loop, or what ends
/// a block of one.
bool handsOn(mlir::Operation *op);

/// Whether the value is an argument of a function, and of no loop or branch inside.
bool isFunctionArgument(mlir::Value value);

/// Whether the op gives one value to all programs of a launch: a constant, the grid's extents.
bool isSameInLaunch(mlir::Operation *op);

} // namespace tilewise::tile
