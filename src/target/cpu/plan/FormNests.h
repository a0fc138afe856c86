// Nest forming: which ops of a kernel run together in one loop nest, and which blocks must be kept
// in scratch between nests.
//
// A block of 4096 elements must not become a vector of 4096 lanes: the registers of no machine hold
// it, and LLVM would unroll it into thousands of instructions. It becomes a loop over its index
// space in steps of one register, and as many ops as possible share that loop, so that an element
// goes from memory through registers to memory. The worked example is softmax of a row:
//
//     x      = load(ptrs, mask, -inf)
//     top    = reduce max (x)                 root: needs a nest
//     weight = exp(x - splat(top))
//     sum    = reduce + (weight)              root
//     y      = weight / splat(sum)
//     store(out, y, mask)                     root
//
// *Roots* are ops that need a nest: a store, a reduction, a block that must be kept. Everything
// else is *pulled*: when a nest needs a chunk of `y`, it asks for the same chunk of `weight` and of
// `splat(sum)`, and so on down to loads. Pulling costs nothing for ranges, splats, broadcasts and
// comparisons, which therefore never exist as blocks.
//
// Roots join the open nest when they run over the same index space and depend on nothing that the
// nest has yet to finish. `sum` depends on `top`, the store depends on `sum`; so there are three
// nests. Then every pulled value is asked, last op first, which nests pull it:
//
//     weight    nests 2 and 3, and costs an exponential: kept in scratch by nest 2, read by nest 3
//     x         nests 1 and 2, costs a load: loaded twice, the second time from the cache
//
//     nest 1    for each chunk: load x -> top
//     nest 2    for each chunk: load x, exp(x - top) -> scratch and sum
//     nest 3    for each chunk: scratch / sum -> store
//
// Memory keeps its order. Within a nest all loads come before all stores in program order (a load
// that follows a store starts a new nest), so what can go wrong is that a store of one chunk
// overwrites what a later chunk still has to load. If both go through the same addresses chunk by
// chunk, or through disjoint memory, that cannot happen; whether it can is tested at run time when
// the nest starts, from the boxes that the access inference gives, and a load in danger is first
// copied to scratch and read from there (GuardAliases.h). Two stores share a nest when they write
// the same addresses, or such as most likely have none in common (other tensors, other planes of a
// picture); the latter is tested at run time, too, and otherwise the nest's stores run one after
// another. A load that is pulled by a nest after a store which follows the load in the program is
// kept in scratch before that store.
//
// The result is IR (CpuDialect.td): one `cpu.nest` per nest, which holds the ops that it pulls,
// each nest its own copy of them. PlanBlock.cpp decides, FormNests.cpp writes down; `tilewise emit
// --stage=nests` shows it.
#pragma once

#include "target/cpu/plan/Pulls.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewise::cpu {

/// What a nest does with the elements it computes.
struct PlannedRoot {
  enum Kind {
    Store,  ///< tile.store
    Reduce, ///< tile.reduce
    Keep,   ///< write `value` to `scratch`
    Copy,   ///< write the block in `from` to `scratch`
  } kind;
  mlir::Operation *op = nullptr;
  mlir::Value value, scratch, from;
  mlir::Location loc;

  llvm::ArrayRef<int64_t> shape() const;
};

struct PlannedNest {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<PlannedRoot, 2> roots;

  /// Whether this nest is the one that writes `value` to `scratch`, its home: it must not read it
  /// from there.
  bool keeps(mlir::Value value, mlir::Value scratch) const;
};

/// What a region's end does with a block: writes it into scratch. `argument` is the block that
/// lives there while the region runs, if it is carried; it must have been read before.
struct RegionResult {
  mlir::Value value, scratch, argument;
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
  PlannedNest nest;              ///< For Loops.
};

struct BlockPlan {
  std::vector<Step> steps;
  /// Dots that accumulate in the scratch of the carried block they replace.
  llvm::DenseMap<mlir::Operation *, mlir::Value> dotScratch;
};

/// What the planner of a block knows and leaves for those of the blocks inside.
struct Planning {
  tile::AccessInference &inference;
  bool checked; ///< Every access is checked before it is done.
  /// Room for blocks of this type.
  std::function<mlir::Value(mlir::Location, mlir::RankedTensorType)> newScratch;
  /// Blocks that live in scratch: the kernel's value -> its `!cpu.scratch`.
  llvm::DenseMap<mlir::Value, mlir::Value> homes = llvm::DenseMap<mlir::Value, mlir::Value>();
};

/// Plans the ops of `block` as steps: scalars, loop nests, regions, ops over whole blocks.
BlockPlan planBlock(Planning &planning, mlir::Block &block, llvm::ArrayRef<RegionResult> results);

} // namespace tilewise::cpu
