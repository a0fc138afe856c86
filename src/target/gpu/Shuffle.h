// Values exchanged between the lanes of a warp, whatever their type.
#pragma once

#include "target/gpu/Lowering.h"

namespace tilewise::gpu {

/// A register of another lane. All lanes of the warp take part.
mlir::Value shuffle(Lowering &on, mlir::Value value, ShuffleMode mode, mlir::Value source);

} // namespace tilewise::gpu
