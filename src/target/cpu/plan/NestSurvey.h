// What one nest computes, looked at before any loop is written: its loads and where each is asked
// for, what it reads from scratch, how wide its elements are.
//
// Every op of a nest is asked for its elements at a *position*: which dimension of the nest indexes
// each dimension of its block. A nest over [M, N] asks its roots at (0, 1). What was broadcast from
// [1, N] is asked for at (-1, 1), where -1 is index 0; what was transposed, at (1, 0).
#pragma once

#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/Pulls.h"

#include <functional>
#include <set>

namespace tilewise::cpu {

/// For each dimension of a block the dimension of the nest that indexes it; -1: index 0.
using Position = llvm::SmallVector<int8_t, 4>;
/// In a position: where the chunk at hand begins along the dimension of the vectors.
constexpr int8_t kChunkStart = -2;

/// Whether chunks along dimension `dim` of an access lie in runs, by the facts of its addresses: in
/// `x // 512 * stride + x % 512` all that begin at a multiple of 512. One address tells the others.
bool isRun(tile::AccessInference &inference, tile::MemoryAccess access, size_t dim);

/// The position of an op's source, for ops that only move elements; nothing when the op is none of
/// them.
std::optional<Position> sourcePosition(mlir::Operation *op, const Position &position);

/// tl.where(mask, x, fill) with one fill for all lanes, as scores of attention are kept inside a
/// sequence: where the mask is a box, the main loop takes x as it is.
bool fillsBesideMask(mlir::Operation *op);

struct LoadAt {
  tile::LoadOp op;
  Position position;
};

class NestSurvey {
public:
  NestSurvey(tile::AccessInference &inference, llvm::ArrayRef<int64_t> shape,
             std::function<bool(mlir::Value)> liesInScratch)
      : inference(inference), shape(shape), widestBits(shape.size(), 8), liesInScratch_(std::move(liesInScratch)) {}

  /// Looks at a value, or at the operands of an op, and at all that they pull.
  void take(mlir::Value value, const Position &position);
  void takeOperands(mlir::Operation *op, const Position &position);
  void takeElement(mlir::Type element, const Position &position);

  /// Where roots are asked.
  Position identity() const;
  /// An access whose addresses are no box may still be one along some dimensions, `w + row[:, None]
  /// * n + column[None, :]` with loaded rows along the columns: the position of the first element
  /// along those.
  Position rowsOf(tile::MemoryAccess access, const Position &position) const;

  tile::AccessInference &inference;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<LoadAt> loads;
  llvm::SmallVector<std::pair<mlir::Operation *, Position>> fills; ///< tl.where(mask, x, fill)
  llvm::SmallVector<std::pair<mlir::Value, Position>> reads;
  /// Per dimension of the nest: bits of the widest elements that differ along it. Those that do not
  /// are scalars where vectors lie along it.
  llvm::SmallVector<unsigned, 4> widestBits;
  unsigned ops = 0;
  /// Of a chunk of the main loop, where masks are true, in the unit of PullCosts.h.
  unsigned work = 0;

private:
  void takeFill(mlir::Operation *op, const Position &position);

  bool isInMainLoop_ = true;
  std::function<bool(mlir::Value)> liesInScratch_;
  std::set<std::pair<void *, Position>> seen_;
};

/// Whether a block of the plan lies in scratch where it is asked for.
bool liesInScratch(mlir::Value block);
/// What a nest of the plan computes, or one that computes just this block of it.
NestSurvey surveyOf(NestOp nest, tile::AccessInference &inference);
NestSurvey surveyOf(mlir::Value block, tile::AccessInference &inference);

} // namespace tilewise::cpu
