// Which layouts blocks get: for memory, for dot, and what follows for reduced and broadcast blocks.
#pragma once

#include "ir/LinearLayout.h"

namespace tilewise::gpu {

/// The threads of one program.
struct Team {
  unsigned laneBits; ///< log2 of the lanes of a warp.
  unsigned warpBits; ///< log2 of the warps of a program.
  int64_t threads() const { return int64_t(1) << (laneBits + warpBits); }
};

/// How a memory access wants its block spread.
struct MemoryShape {
  unsigned fastestDim = 0; ///< Neighbours along this dimension are neighbours in memory.
  unsigned vector = 1;     ///< Elements along it that one thread moves at once.
  /// Elements that one thread must hold together, also where others are then left without.
  unsigned least = 1;
};

/// A layout for coalesced access: a thread holds `vector` neighbours, lanes follow along the
/// fastest dimension and then the others, last to first, so that a warp touches whole lines; warps
/// take the slowest dimensions first, so that a reduction along the fastest one rarely crosses
/// warps. What is left over repeats in registers; what is missing becomes copies.
LinearLayout memoryLayout(llvm::ArrayRef<int64_t> shape, MemoryShape access, Team team);

/// Such a layout with the warps where another layout of the block has them, so that no element
/// changes its warp between the two. Nothing where a warp would then not touch whole lines.
std::optional<LinearLayout> memoryLayoutWithin(const LinearLayout &other, MemoryShape access, unsigned elementBytes);

/// The accumulator of an FMA dot: each thread a grid of 4x4 squares, 4 lanes by 8 lanes a warp,
/// warps in a near square. Eight lanes that a shared-memory read serves together then read one row
/// of A (a broadcast) and 128 bytes in a row of B. Batches go to warps that are left over.
LinearLayout dotLayout(llvm::ArrayRef<int64_t> shape, Team team);

/// Where the bits of one axis live, lowest first. A scan works in layouts in which the axis has,
/// from its lowest bit to its highest, registers, then lanes, then warps, then registers again.
struct AxisBits {
  /// Input bits of each level.
  llvm::SmallVector<unsigned, 8> lowRegisters, lanes, warps, highRegisters;
};
/// Nothing when a basis mixes the axis with others, or the levels come in another order.
std::optional<AxisBits> axisBits(const LinearLayout &layout, unsigned axis);

/// The layout of `order`-permuted blocks: dimension d of the result is dimension order[d].
LinearLayout permuted(const LinearLayout &layout, llvm::ArrayRef<int32_t> order);
/// With a new last dimension of extent 2, whose two elements lie in neighbouring registers.
LinearLayout withPairs(const LinearLayout &layout);
/// Whether the two elements of a last dimension of extent 2 lie in neighbouring registers.
bool hasPairs(const LinearLayout &layout);

/// The number of low register bits that count up along `dim` by one each: log2 of the widest vector
/// a thread holds along it.
unsigned vectorBits(const LinearLayout &layout, unsigned dim);

} // namespace tilewise::gpu
