// Which dimension of a nest runs through the lanes of its vectors.
//
// Along a good one every access is a plain vector load or store: neighbours, or one element for all
// lanes. Each dimension is weighed by what its accesses would cost, roughly in instructions per
// vector, and the cheapest wins; the last of equals, since that is where memory is dense most
// often.
#pragma once

#include "target/cpu/Machine.h"
#include "target/cpu/plan/NestSurvey.h"

namespace tilewise::cpu {

/// What a nest writes, and how what it reads from scratch lies there.
struct NestEnds {
  llvm::SmallVector<tile::StoreOp, 2> stores;
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 2>
      written; ///< Strides of each scratch that is written, in elements.
  /// Of a block that lies in scratch.
  std::function<llvm::SmallVector<int64_t, 4>(mlir::Value)> stridesOf;
  int axis = -1; ///< Reduced dimension.
};

/// -1 when all extents are 1.
int chooseVectorDim(const NestSurvey &survey, const NestEnds &ends, const Machine &machine);

/// What the accesses of a nest cost when its chunks lie along `dim`: 0 where lanes are neighbours.
unsigned vectorCost(const NestSurvey &survey, const NestEnds &ends, const Machine &machine, unsigned dim);

} // namespace tilewise::cpu
