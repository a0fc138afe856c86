// Values exchanged between the lanes of a warp, whatever their type.
#pragma once

#include "target/nvidia/Lowering.h"

namespace tilewise::nv {

enum class ShuffleMode {
  Xor,  ///< From lane `this ^ source`.
  Index ///< From lane `source`.
};

/// A register of another lane. All lanes of the warp take part.
mlir::Value shuffle(Lowering &on, mlir::Value value, ShuffleMode mode, mlir::Value source);

} // namespace tilewise::nv
