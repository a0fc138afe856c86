// The combine region of a reduce or a scan, as a function of two partial results.
#pragma once

#include "target/gpu/Lowering.h"

namespace tilewise::gpu {

/// One value for each source of the op.
using Partial = llvm::SmallVector<mlir::Value, 2>;

class Combiner {
public:
  Combiner(Lowering &on, mlir::Region &region) : on_(on), region_(region) {}

  /// The region on both; `before` once it could not be lowered, which has been reported.
  Partial operator()(const Partial &before, const Partial &after) {
    auto combined = on_.lowerBody(region_, llvm::to_vector(llvm::concat<const mlir::Value>(before, after)));
    failed_ |= !combined;
    return combined ? *combined : before;
  }
  bool failed() const { return failed_; }

private:
  Lowering &on_;
  mlir::Region &region_;
  bool failed_ = false;
};

} // namespace tilewise::gpu
