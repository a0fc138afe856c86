// What a reduction can start from: the identity of its combining op, where that is a known one.
#pragma once

#include "ir/Tile.h"

namespace tilewise::cpu {

/// e with combine(e, x) = x for every x, bit for bit; nothing when the region is not one known op.
mlir::TypedAttr identityOf(tile::ReduceOp reduce);
bool haveIdentities(llvm::ArrayRef<tile::ReduceOp> reductions);

} // namespace tilewise::cpu
