// What the emitter of nests is asked for: a nest by its roots.
//
// Most are `cpu.nest`s of the plan. Where an op over whole blocks wants an operand in scratch, in a
// layout of its own, it makes a nest of one root itself: the packing of a dot's operands is one.
#pragma once

#include "target/cpu/nests/KernelEmitter.h"
#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/NestLanes.h"
#include "target/cpu/plan/Pulls.h"

namespace tilewise::cpu {

/// What a nest does with the elements it computes.
struct Root {
  enum Kind {
    Store,  ///< tile.store
    Reduce, ///< tile.reduce
    Keep,   ///< write `value` to `destination`, converted to its element type
    /// tile.atomic_rmw or atomic_cas; the old elements go to `destination` when it has a shape
    Atomic,
    /// tile.atomic_rmw in a launch that is alone, as load, op and store of one chunk after another
    Update,
  } kind;
  mlir::Operation *op = nullptr;
  mlir::Value value;
  Buffer destination;
  mlir::Location loc;
};

struct Nest {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<Root, 2> roots;
  llvm::SmallVector<PrefetchOp, 2> prefetches = {};
  std::optional<Guard> guard = std::nullopt; ///< See plan/GuardAliases.h.
  /// What the plan says; nothing of a nest that is no part of it: the emitter chooses.
  std::optional<NestLanes> lanes = std::nullopt;
  /// Rows that are computed at once, see plan/ShareRows.h.
  int64_t rows = 1, rowDim = -1;
  /// Its stores may pass the caches by, see plan/Streaming.h.
  bool streams = false;
};

/// A nest that writes `value` to `destination` and does nothing else.
Nest keepingNest(mlir::Value value, const Buffer &destination, mlir::Location loc);

/// Emits one nest at the builder's place (NestEmitter.cpp).
void emitNest(KernelEmitter &kernel, const Nest &nest);
/// True when a lane of the access may be outside of its arguments' memory, or come from an offset
/// that overflowed (NestChecks.cpp); null when only its own addresses can tell.
mlir::Value emitDoubt(KernelEmitter &kernel, tile::MemoryAccess access);
/// ceil(expr / divisor) where that is at least 0, else something that is not above 0: bounds are
/// clamped to the block.
mlir::Value evaluateBound(KernelEmitter &kernel, mlir::Location loc, const tile::Bound &bound, bool isUpper);
/// One atomic on one element; gives the old element (NestAtomics.cpp).
mlir::Value emitAtomic(KernelEmitter &kernel, mlir::Operation *op, mlir::Value pointer, mlir::Value value,
                       mlir::Value expected);

} // namespace tilewise::cpu
