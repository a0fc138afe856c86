// What is pulled when a chunk of a block is computed.
#pragma once

#include "ir/Tile.h"
#include "passes/AccessInference.h"

namespace tilewise::cpu {

inline bool isBlock(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

/// The blocks that `op` pulls when a chunk of it is computed: no pointers or masks that the access
/// inference understands.
llvm::SmallVector<mlir::Value> pulledOperands(tile::AccessInference &inference, mlir::Operation *op);

} // namespace tilewise::cpu
