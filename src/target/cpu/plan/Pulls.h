// What is pulled when a chunk of a block is computed.
#pragma once

#include "ir/Tile.h"
#include "passes/AccessInference.h"

namespace tilewise::cpu {

inline bool isBlock(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

/// The blocks that `op` pulls when a chunk of it is computed: no pointers or masks that the access
/// inference understands.
llvm::SmallVector<mlir::Value> pulledOperands(tile::AccessInference &inference, mlir::Operation *op);

/// Whether the op chooses between whole blocks that are known by their first elements: it is one of
/// these elements, and no block.
bool isChoiceOfCarried(tile::AccessInference &inference, mlir::Operation *op);

/// Whether nests are built for the op: it stores, or combines elements.
bool isNestRoot(mlir::Operation *op);

} // namespace tilewise::cpu
