// How many registers the blocks of a kernel take.
#pragma once

#include "mlir/IR/Block.h"

namespace tilewise::gpu {

/// How many 32-bit registers a thread holds of a kernel's blocks at one time, at most.
///
/// What follows from ranges and scalars alone is computed where it is used, mostly by the address
/// of an access itself; pointers of a block are a base and such offsets. They count for nothing.
unsigned wordsHeld(mlir::Block &kernel);

/// Whether an elementwise op's result takes more registers than all that it is computed from, as of
/// a cast to a wider type.
bool widens(mlir::Operation *op);

} // namespace tilewise::gpu
