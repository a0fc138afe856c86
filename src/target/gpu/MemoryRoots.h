// Which kernel argument a pointer comes from.
#pragma once

#include "target/gpu/Gpu.h"

namespace tilewise::gpu {

/// The kernel argument that a pointer was made from; null when it is not one. Different arguments
/// are taken not to overlap, other than element by element: that is the language's rule.
mlir::Value rootOf(mlir::Value pointer);

} // namespace tilewise::gpu
