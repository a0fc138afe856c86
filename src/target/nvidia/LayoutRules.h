// Which layouts blocks get: for memory, for dot, and what follows for reduced and broadcast blocks.
#pragma once

#include "ir/LinearLayout.h"

namespace tilewise::nv {

inline constexpr unsigned kLaneBits = 5;

/// How a memory access wants its block spread.
struct MemoryShape {
  unsigned fastestDim = 0; ///< Neighbours along this dimension are neighbours in memory.
  unsigned vector = 1;     ///< Elements along it that one thread moves at once.
};

/// A layout for coalesced access: a thread holds `vector` neighbours, lanes follow along the fastest dimension and then the others,
/// last to first, so that a warp touches whole lines; warps take the slowest dimensions first, so that a reduction along the fastest
/// one rarely crosses warps. What is left over repeats in registers; what is missing becomes copies.
LinearLayout memoryLayout(llvm::ArrayRef<int64_t> shape, MemoryShape access, unsigned numWarps);

/// The accumulator of an FMA dot: each thread a grid of 4x4 squares, 4 lanes by 8 lanes a warp, warps in a near square. Eight lanes that
/// a shared-memory read serves together then read one row of A (a broadcast) and 128 bytes in a row of B.
LinearLayout dotLayout(llvm::ArrayRef<int64_t> shape, unsigned numWarps);

/// The number of low register bits that count up along `dim` by one each: log2 of the widest vector a thread holds along it.
unsigned vectorBits(const LinearLayout &layout, unsigned dim);

} // namespace tilewise::nv
