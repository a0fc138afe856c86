// Where addresses come from: the chain of values behind a pointer, and the arguments at its end.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewise::tile {

/// The kernel's arguments that a pointer is made from; `foreign` when it may also come from
/// somewhere else.
struct Origins {
  llvm::SmallVector<unsigned, 1> arguments;
  bool foreign = false;
};
Origins originsOf(mlir::Value pointer);

/// The values that `value` is made of by steps that carry an offset or a pointer along; none for a
/// value that begins such a chain.
llvm::SmallVector<mlir::Value> carriedFrom(mlir::Value value);

/// The values on the way from 32-bit arithmetic to an address that the function uses or returns.
llvm::DenseSet<mlir::Value> findOffsets(mlir::Operation *kernel);

} // namespace tilewise::tile
