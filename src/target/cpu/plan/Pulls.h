// What is pulled when a chunk of a block is computed.
#pragma once

#include "ir/Tile.h"
#include "passes/AccessInference.h"

namespace tilewise::cpu {

inline bool isBlock(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

/// The blocks that `op` pulls when a chunk of it is computed: no pointers or masks that the access inference understands.
llvm::SmallVector<mlir::Value> pulledOperands(tile::AccessInference &inference, mlir::Operation *op);

/// Whether stores among the roots of a nest go to different addresses: whether these overlap is tested when it runs.
template <typename Roots> bool storesApart(const Roots &roots) {
  mlir::Value pointer;
  for (const auto &root : roots)
    if (auto store = mlir::dyn_cast_or_null<tile::StoreOp>(root.op)) {
      if (pointer && pointer != store.getPointer())
        return true;
      pointer = store.getPointer();
    }
  return false;
}

} // namespace tilewise::cpu
