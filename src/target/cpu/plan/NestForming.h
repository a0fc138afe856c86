// Nest forming: which ops of a kernel run together in one loop nest, and which blocks must be kept in scratch between nests.
//
// A block of 4096 elements must not become a vector of 4096 lanes: the registers of no machine hold it, and LLVM would unroll it into
// thousands of instructions. It becomes a loop over its index space in steps of one register, and as many ops as possible share that
// loop, so that an element goes from memory through registers to memory. The worked example is softmax of a row:
//
//     x      = load(ptrs, mask, -inf)
//     top    = reduce max (x)                 root: needs a nest
//     weight = exp(x - splat(top))
//     sum    = reduce + (weight)              root
//     y      = weight / splat(sum)
//     store(out, y, mask)                     root
//
// *Roots* are ops that need a nest: a store, a reduction, a block that must be kept. Everything else is *pulled*: when a nest needs a
// chunk of `y`, it asks for the same chunk of `weight` and of `splat(sum)`, and so on down to loads. Pulling costs nothing for
// ranges, splats, broadcasts and comparisons, which therefore never exist as blocks.
//
// Roots join the open nest when they run over the same index space and depend on nothing that the nest has yet to finish. `sum`
// depends on `top`, the store depends on `sum`; so there are three nests. Then every pulled value is asked, last op first, which
// nests pull it:
//
//     weight    nests 2 and 3, and costs an exponential: kept in scratch by nest 2, read by nest 3
//     x         nests 1 and 2, costs a load: loaded twice, the second time from the cache
//
//     nest 1    for each chunk: load x -> top
//     nest 2    for each chunk: load x, exp(x - top) -> scratch and sum
//     nest 3    for each chunk: scratch / sum -> store
//
// Memory keeps its order. Within a nest all loads come before all stores in program order (a load that follows a store starts a new
// nest), so what can go wrong is that a store of one chunk overwrites what a later chunk still has to load. If both go through the same
// addresses chunk by chunk, or through disjoint memory, that cannot happen; whether it can is tested at run time when the nest starts, from
// the boxes that the access inference gives, and a load in danger is first copied to scratch and read from there (NestAliasing.cpp).
// Two stores share a nest when they write the same addresses, or such as most likely have none in common (other tensors, other planes of a
// picture); the latter is tested at run time, too, and otherwise the nest's stores run one after another. A load that is pulled by a nest after a store which follows the load
// in the program is kept in scratch before that store.
#pragma once

#include "target/cpu/nests/KernelEmitter.h"

namespace tilewise::cpu {

/// What a nest does with the elements it computes.
struct Root {
  enum Kind {
    Store,  ///< tile.store
    Reduce, ///< tile.reduce
    Keep,   ///< write `value` to `destination`, converted to its element type
    Copy,   ///< write the block in `from` to `destination`
    Atomic, ///< tile.atomic_rmw or atomic_cas; the old elements go to `destination` when it has a shape
  } kind;
  mlir::Operation *op = nullptr;
  mlir::Value value;
  Buffer destination, from;
  mlir::Location loc;

  llvm::ArrayRef<int64_t> shape() const;
};

/// A load beside which the next program's is asked for, see Prefetch.h.
struct Prefetched {
  mlir::Operation *load;
  bool isUsedOnce; ///< No other nest pulls it.
};

/// A load or store of the next program's that a nest asks for chunk by chunk, whether or not it has it itself, see Prefetch.h.
struct Ahead {
  tile::MemoryAccess op;
  enum Part { All, First, Last } part; ///< Of its row: First is three quarters, Last the rest.
  bool isUsedOnce = true;              ///< Of a load: no other nest pulls it.
};

struct Nest {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<Root, 2> roots;
  llvm::SmallVector<Prefetched, 2> prefetched = {};
  llvm::SmallVector<Ahead, 2> ahead = {};

  /// Whether this nest is the one that writes `value` to `buffer`, its home: it must not read it from there.
  bool keeps(mlir::Value value, const Buffer &buffer) const;
};

/// Whether stores of the nest go to different addresses: whether these overlap is tested when it runs.
bool storesApart(const Nest &nest);

/// What a region's end does with a block: writes it into a buffer. `argument` is the block that lives there while the region runs, if
/// it is carried; it must have been read before.
struct RegionResult {
  mlir::Value value;
  Buffer destination;
  mlir::Value argument;
};

struct Step {
  enum Kind {
    Scalar,
    Loops,
    Region,
    Check, ///< Of the access `op`, which follows.
    Whole, ///< An op that wants its operands in scratch as whole blocks, or tells people something.
    Nothing,
  } kind;
  mlir::Operation *op = nullptr; ///< But for Loops.
  Nest nest;                     ///< For Loops.
};

struct BlockPlan {
  std::vector<Step> steps;
  /// Dots that accumulate in place of the carried block they replace.
  llvm::DenseMap<mlir::Operation *, Buffer> dotDestinations;
};

/// Plans the ops of `block`. Buffers for kept blocks are allocated on the way.
BlockPlan formNests(KernelEmitter &kernel, mlir::Block &block, llvm::ArrayRef<RegionResult> results);

/// The blocks that `op` pulls when a chunk of it is computed: no pointers or masks that the access inference understands.
llvm::SmallVector<mlir::Value> pulledOperands(KernelEmitter &kernel, mlir::Operation *op);

/// Emits one nest at the builder's place (NestEmitter.cpp).
void emitNest(KernelEmitter &kernel, const Nest &nest);
/// Emits acc + a @ b into a buffer (EmitDot.cpp); without `destination` a new one.
void emitDot(KernelEmitter &kernel, tile::DotOp dot, const Buffer *destination);
/// Emits an op that wants whole blocks, or tells people something (EmitWholeBlocks.cpp). `destination` is for the result of a dot, or null.
void emitWholeBlocks(KernelEmitter &kernel, mlir::Operation *op, const Buffer *destination);
/// Scans the copies of its sources in place (EmitScan.cpp).
void emitScan(KernelEmitter &kernel, tile::ScanOp op, llvm::ArrayRef<Buffer> copies);
/// Counts the numbers of a row-major block (EmitHistogram.cpp).
Buffer emitHistogram(KernelEmitter &kernel, tile::HistogramOp op, const Buffer &which,
                     const std::optional<Buffer> &mask);
/// Has the reference engine run a print or an assertion (EmitOutside.cpp).
void emitOutside(KernelEmitter &kernel, mlir::Operation *op);
/// Puts every assertion behind a test of its whole block: what runs in a good kernel is that reduction.
void guardAssertions(mlir::func::FuncOp kernel);
/// Checked mode, before an access: compiled code tests whether all is well, and the reference engine says what is not.
void emitCheck(KernelEmitter &kernel, tile::MemoryAccess access);
/// True when a lane of the access may be outside of its arguments' memory, or come from an offset that overflowed (NestChecks.cpp); null
/// when only its own addresses can tell.
mlir::Value emitDoubt(KernelEmitter &kernel, tile::MemoryAccess access);
/// ceil(expr / divisor) where that is at least 0, else something that is not above 0: bounds are clamped to the block.
mlir::Value evaluateBound(KernelEmitter &kernel, mlir::Location loc, const tile::Bound &bound, bool isUpper);
/// What the loads of a block cost when its chunks lie along `dim`: 0 where lanes are neighbours (NestEmitter.cpp).
unsigned readingCost(KernelEmitter &kernel, mlir::Value block, unsigned dim);
/// One atomic on one element; gives the old element (NestAtomics.cpp).
mlir::Value emitAtomic(KernelEmitter &kernel, mlir::Operation *op, mlir::Value pointer, mlir::Value value,
                       mlir::Value expected);
/// Emits a loop or a branch of the source (EmitRegions.cpp), and all ops of a block.
void emitRegionOp(KernelEmitter &kernel, mlir::Operation *op);
void emitBlock(KernelEmitter &kernel, mlir::Block &block, llvm::ArrayRef<RegionResult> results);

} // namespace tilewise::cpu
