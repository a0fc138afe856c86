// Which kernel argument a pointer comes from, and which memory ops may change.
#pragma once

#include "target/gpu/Gpu.h"

namespace tilewise::gpu {

/// The kernel argument that a pointer was made from; null when it is not one. Different arguments
/// are taken not to overlap, other than element by element: that is the language's rule.
mlir::Value rootOf(mlir::Value pointer);

/// Whether something in `within` may change memory behind one of these arguments, or orders memory
/// in another way; a null root is memory anywhere.
bool mayChange(mlir::Operation *within, llvm::ArrayRef<mlir::Value> roots);

/// Whether the op has effects other than those of plain loads and stores and of this dialect's ops.
bool hasOtherEffects(mlir::Operation *op);

} // namespace tilewise::gpu
