// How much shared memory an op works through, and how it lays its scratch out. The allocator and
// the lowering both ask here.
#pragma once

#include "target/gpu/Gpu.h"

namespace tilewise::gpu {

/// Scratch of a dot: A row by row, then B row by row, each in its own element type. Rows of A are
/// padded by 16 bytes so that rows start in different banks when threads write them.
struct DotScratch {
  unsigned aRowElements = 0, bRowElements = 0;
  unsigned bOffset = 0; ///< In bytes; A starts at 0.
  unsigned bytes = 0;
};
DotScratch scratchOf(tile::DotOp dot);

/// Scratch of a reduce whose axis crosses warps: for each source, one result block per group of
/// warps along the axis.
struct ReduceScratch {
  llvm::SmallVector<unsigned, 4> warpBits; ///< Bits of the warp number that lie on the axis.
  llvm::SmallVector<unsigned, 2> offsets;  ///< Per source, in bytes.
  unsigned resultElements = 1;
  unsigned bytes = 0; ///< 0 when no warp needs another one's results.
  unsigned groups() const { return 1u << warpBits.size(); }
};
ReduceScratch scratchOf(tile::ReduceOp reduce);

/// Scratch of a scan whose axis crosses warps: for each source, one total per row, chunk of
/// registers and warp along the axis.
struct ScanScratch {
  llvm::SmallVector<unsigned, 2> offsets; ///< Per source, in bytes.
  unsigned rows = 1, chunks = 1, warps = 1;
  unsigned bytes = 0; ///< 0 when no warp needs another one's results.
};
ScanScratch scratchOf(tile::ScanOp scan);

/// A block that goes through shared memory as a whole, or in rounds: in each of them the elements
/// that share their highest bits. Half of what the smallest machine has, so that two blocks can be
/// on their way at once.
struct BlockScratch {
  static constexpr unsigned kMostBytes = 48 << 10;
  unsigned elements = 0, bytes = 0, rounds = 1;
};
BlockScratch blockScratch(mlir::Type block);

/// Bits of an element's number that tell neither a lane nor a warp in two layouts, above those that
/// a thread moves at once; the `wanted` highest of them, or none where there are fewer. They tell
/// rounds of a conversion to which all threads contribute alike.
uint32_t bitsOfRounds(const LinearLayout &from, const LinearLayout &to, unsigned wanted, unsigned elementBytes);
/// Whether each warp converts what is its own, in its own part of the scratch.
bool isWithinWarps(ConvertLayoutOp convert);

/// The place, register and lane, whose bits tell the two of each pair of an exchange apart; nothing
/// where the gather is none, or the pairs are in different warps.
struct ExchangePlace {
  unsigned reg = 0, lane = 0;
};
std::optional<ExchangePlace> exchangeWithinWarps(tile::GatherOp gather);

/// Whether what an atomic gives is asked for by threads that do not perform it.
bool sharesResult(mlir::Operation *atomic);

/// Whether the op's source goes through shared memory as a whole (Lowering.def): the op then takes
/// it from wherever it lives.
bool goesThroughShared(mlir::Operation *op);

/// Bytes of scratch; 0 for ops that need none.
unsigned scratchBytes(mlir::Operation *op);
constexpr unsigned kScratchAlignment = 128;

/// Bytes of the tiles that an op makes room for, which live as long as they are used; 0 for ops
/// that make none.
unsigned tileBytes(mlir::Operation *op);

/// Bytes of the signals of a ring's slots: first those that a slot is full, then those that it has
/// been released. They have memory of their own as long as the kernel runs (AllocateShared.cpp).
unsigned signalBytes(RingOp ring);
constexpr unsigned kSignalBytes = 8;

/// Bytes of shared memory. With `part`, each warp uses so many of them, one warp behind the other,
/// and none of another's.
struct SharedRange {
  unsigned begin, end, part = 0;
  bool overlaps(SharedRange other) const { return begin < other.end && other.begin < end; }
  /// Whether different warps may use one byte by the two.
  bool meets(SharedRange other) const {
    return overlaps(other) && !(part && part == other.part && begin == other.begin);
  }
  bool operator==(const SharedRange &) const = default;
};
/// Where the ring of a tile, or the tile itself, lies; after gpu-allocate-shared.
SharedRange rangeOf(mlir::Value tile);
/// The scratch of an op that has some.
SharedRange scratchRange(mlir::Operation *op);

} // namespace tilewise::gpu
