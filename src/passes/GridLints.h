// What a kernel asks of its grid, as warnings that hold for some grids only: which they are is
// known when it is launched.
//
//     pid = tl.program_id(1)                     all programs get 0 on a grid of one dimension
//     tl.store(p + tl.arange(0, 64), x)          all programs do the same, where there are several
//     at = tl.program_id(0) + tl.arange(0, 64)   each block overlaps its neighbour's, where there is one
#pragma once

#include "ir/Tile.h"
#include "support/Warnings.h"

namespace tilewise::tile {

struct GridLint {
  /// It holds when one of these axes, a bit each, has several programs,
  uint8_t whenSeveral = 0;
  /// or when the grid has at most so many dimensions.
  uint8_t whenRankIsAtMost = 0;
  Warning warning;
  mlir::Location place;
  std::string message, note;
};

/// Those of the warnings that are on. Asked before any pass: a program id that nothing uses counts.
std::vector<GridLint> findGridLints(mlir::func::FuncOp kernel, const WarningSet &on);

} // namespace tilewise::tile
