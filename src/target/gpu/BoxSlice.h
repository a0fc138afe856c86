// All that boxes follow from: ops, loops around them, and which of a loop's values they need.
#pragma once

#include "target/gpu/Gpu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace tilewise::gpu {

class BoxSlice {
public:
  void need(mlir::Operation *op);

  bool contains(mlir::Operation *op) const { return ops_.contains(op); }
  /// Which of the values that a loop carries are needed.
  llvm::SmallVector<unsigned> carriedBy(mlir::scf::ForOp loop) const;
  /// What only the warps that compute can know; empty when there is nothing of that kind.
  const std::string &problem() const { return problem_; }

private:
  void need(mlir::ValueRange values);
  void need(mlir::Value value);
  void needCarried(mlir::scf::ForOp loop, unsigned index);
  void check(mlir::Operation *op);

  llvm::SetVector<mlir::Operation *> ops_;
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> carried_;
  std::string problem_;
};

} // namespace tilewise::gpu
