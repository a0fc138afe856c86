// Which dimension of a nest runs through the lanes of its vectors, and how many vectors a step
// takes.
//
// Along a good one every access is a plain vector load or store: neighbours, or one element for all
// lanes. Each dimension is weighed by what its accesses would cost, roughly in instructions per
// vector, and the cheapest wins; the last of equals, since that is where memory is dense most
// often. A reduction along it has several accumulators where a chunk has little else to do:
//
//     sum(x) over [4096] of f32     lanes 16 along 0 copies 4     4 additions in flight, not 1
#pragma once

#include "target/cpu/Machine.h"
#include "target/cpu/plan/NestSurvey.h"

namespace tilewise::cpu {

/// Chunks of `count` neighbours along `dim`, `copies` of them in a step of the loop.
struct NestLanes {
  int dim = -1; ///< None: one element after another.
  int64_t count = 1, copies = 1;
};

/// What a nest writes, and how what it reads from scratch lies there.
struct NestEnds {
  llvm::SmallVector<tile::StoreOp, 2> stores;
  llvm::SmallVector<tile::ReduceOp, 2> reductions;
  /// Strides of each scratch that is written, in elements.
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 2> written;
  /// Of a block that lies in scratch.
  std::function<llvm::SmallVector<int64_t, 4>(mlir::Value)> stridesOf;

  /// The reduced dimension; -1: none.
  int axis() const { return reductions.empty() ? -1 : int(tile::ReduceOp(reductions.back()).getAxis()); }
};

/// Of a nest of the plan.
NestEnds endsOf(NestOp nest);
/// Those that the plan says.
NestLanes lanesOf(NestOp nest);

/// No lanes where all extents are 1.
NestLanes chooseLanes(const NestSurvey &survey, const NestEnds &ends, const Machine &machine);

/// What the accesses of a nest cost when its chunks lie along `dim`: 0 where lanes are neighbours.
unsigned vectorCost(const NestSurvey &survey, const NestEnds &ends, const Machine &machine, unsigned dim);
/// Of reading the block alone.
unsigned readingCost(tile::AccessInference &inference, const Machine &machine, mlir::Value block, unsigned dim);

} // namespace tilewise::cpu
