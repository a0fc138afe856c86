// Matrix instructions: which lane holds which element of their operands, and the layouts of blocks
// that are multiplied by many of them.
//
// A warp multiplies a small tile at once: C[m, n] += A[m, k] B[k, n]. The instruction fixes where
// the elements of the three tiles lie, as layouts over registers and lanes. A block of accumulators
// is such tiles side by side, dealt to warps and then to more registers; from its layout follows
// where its operands must lie: A has the rows of the accumulator, all of k, and copies in warps
// that differ in columns only; B likewise.
//
// Some instructions are given by several warps together, which then have bases in their layouts,
// too.
//
//     mma.m16n8k16:  C: register = [column 1, row 8], lane = [column 2, column 4, row 1, row 2, row 4]
#pragma once

#include "ir/LinearLayout.h"
#include "target/gpu/LayoutRules.h"

#include <string>

namespace tilewise::gpu {

struct MatrixInstruction {
  std::string name;
  LinearLayout a, b, c; ///< Of one tile: shapes [m, k], [k, n], [m, n].
  /// B, and A where it is not in registers, are read from shared memory while the threads go on: a
  /// gpu.mma. `b` then says nothing.
  bool isAsynchronous = false;

  int64_t m() const { return c.shape()[0]; }
  int64_t n() const { return c.shape()[1]; }
  int64_t k() const { return a.shape()[1]; }
};

/// How the warps of a program share the accumulators of a dot.
enum class WarpSplit {
  Square, ///< Each has about as many rows as columns: the fewest operands are read.
  /// Each has whole rows, as far as there are enough: what follows along a row stays within a warp.
  Rows,
};

/// Accumulators of a block [.., M, N].
LinearLayout accumulatorLayout(llvm::ArrayRef<int64_t> shape, const MatrixInstruction &instruction, Team team,
                               WarpSplit split);
/// The left operand [.., M, K] and the right one [.., K, N] of such accumulators.
LinearLayout leftLayout(llvm::ArrayRef<int64_t> shape, const MatrixInstruction &instruction,
                        const LinearLayout &accumulators);
LinearLayout rightLayout(llvm::ArrayRef<int64_t> shape, const MatrixInstruction &instruction,
                         const LinearLayout &accumulators);

} // namespace tilewise::gpu
