// One loop nest while it is being emitted: which dimension runs through vector lanes, the loops,
// and a chunk's values by demand.
//
// The nest runs over `shape`. One dimension, the vector dimension, is walked in chunks of `lanes`
// elements; the others one by one. Its loop comes twice. The main loop covers the chunks in which
// every mask that the inference understands is true in every lane: there the accesses are plain
// vector loads and stores. The rest loop takes what is left on either side (the border of a
// picture, the odd end of a vector) with masked accesses. A reduction along another dimension than
// the vector's runs in a loop of its own inside the chunk:
//
//     outer dimensions { main chunks { reduced dimension } rest chunks { reduced dimension } }
//
// Where neighbouring rows load the same elements, as in a stencil, the main loop computes several
// rows at once, see plan/ShareRows.h.
//
// A value is a scalar when it is the same in all lanes of the chunk, else a vector. It is made at
// the outermost *level* at which all it depends on is known. Level 0 is before all loops, and each
// loop that is open adds one. For out[r, c] = in[r, c] * scale[r] over 64 x 1024:
//
//     level 0       starts of the tensors, strides in bytes, bounds of the masks
//     for r         level 1   start of the row, in + r * stride; scale[r], a scalar, and its splat
//       for chunk   level 2   in + r * stride + chunk: a vector is loaded, multiplied, stored
//
// No op is asked where it belongs. `make` asks the operands first, and the op goes to the deepest
// of their levels: r * stride has r, of level 1, so it is computed once a row. `LeveledValue` is a
// value and its level, `levels_[d]` the level of the loop that counts dimension d, `places_[l]`
// where the builder adds to level l, which is before the loop of level l + 1, and `at(l)` goes
// there. `made_` remembers what was made, by value and position; what is of a chunk is forgotten
// with it (`forgetChunk`), what is of outer levels serves the next loop over chunks, too.
#pragma once

#include "target/cpu/nests/Nest.h"
#include "target/cpu/plan/GuardAliases.h"
#include "target/cpu/plan/NestLanes.h"
#include "target/cpu/plan/ShareRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

namespace tilewise::cpu {

/// A scalar or vector of the CPU stage, and the loop level at which it was made.
struct LeveledValue {
  mlir::Value value;
  unsigned level = 0;
  explicit operator bool() const { return bool(value); }
};

/// Where the next program loads or stores.
struct NextAccess {
  mlir::Value start;                      ///< Address of its first element.
  llvm::SmallVector<mlir::Value> strides; ///< In bytes, one per dimension.
  /// Of offsets: all bits, or none for a store when the launch streams; null: all bits.
  mlir::Value mask;
  mlir::Value firstOfStep; ///< Address in the step of the loop being emitted.
};

class NestEmitter {
public:
  /// `scalarOnly` asks for a nest without vectors: small code for what rarely runs.
  NestEmitter(KernelEmitter &kernel, const Nest &nest, bool scalarOnly = false);
  void emit();
  /// See emitDoubt in Nest.h.
  mlir::Value emitDoubt(tile::MemoryAccess access);

private:
  /// The box of a mask: per dimension of the access lower and upper bound, clamped to its extent,
  /// or null; a condition, or null.
  struct MaskBox {
    llvm::SmallVector<mlir::Value, 2> lowers, uppers;
    mlir::Value condition;
    llvm::SmallVector<mlir::Value, 1> remainder;
    bool exists = false;
  };
  /// Where a structured access starts, and its strides in bytes; made at level 0.
  struct AddressBox {
    mlir::Value start;
    llvm::SmallVector<mlir::Value, 2> strides; ///< Null where it is 0.
  };
  struct Mask {
    LeveledValue uniform; ///< i1, or null when true.
    LeveledValue lanes;   ///< Vector of i1, or null when true.
    explicit operator bool() const { return uniform || lanes; }
  };
  enum class Phase { Main, Rest };

  // NestEmitter.cpp: shape of the nest and its loops.
  void surveyRoots();
  NestEnds ends() const;
  void takeLanes();
  void emitHere();
  void emitLoops();
  void emitChunks(mlir::Location loc);
  class VectorLoops; ///< Of the vector dimension: NestVectorLoops.cpp.
  /// The chunks [start, end) of the main loop; a null start is 0.
  struct MainRange {
    mlir::Value start, end;
    bool isMasked = false;
  };
  MainRange mainRange(mlir::Location loc, int64_t step);
  mlir::Value storesEnd(mlir::Location loc);
  llvm::SmallVector<mlir::Value> emitChunk(llvm::ArrayRef<mlir::Value> accumulators);
  llvm::SmallVector<mlir::Value> emitBody(llvm::ArrayRef<mlir::Value> accumulators, LeveledValue first);
  mlir::scf::ForOp openLoop(mlir::Location loc, mlir::Value begin, mlir::Value end, int64_t step,
                            mlir::ValueRange carried);
  Position identity() const;

  // NestRows.cpp: rows that share loads.
  void enterRow(int64_t row);
  LeveledValue *sharedLoad(tile::LoadOp op, const Position &position);
  LeveledValue sharedAddress(tile::LoadOp op, const Position &position);
  bool loadTransposed(tile::LoadOp op, const Position &position);

  // NestValues.cpp: a chunk's values by demand.
  LeveledValue make(mlir::Value value, Position position);
  LeveledValue makeNew(mlir::Value value, const Position &position);
  LeveledValue makeCarried(mlir::Value value, const Position &position);
  LeveledValue lanesOf(LeveledValue scalar, mlir::Type element);
  LeveledValue divideByUniform(mlir::Location loc, LeveledValue dividend, LeveledValue divisor);
  LeveledValue index(int dim) const {
    dim = dim == kChunkStart ? vectorDim_ : dim;
    return {indices_[dim], levels_[dim]};
  }
  LeveledValue laneIndex(); ///< Vector of i32: position along the vector dimension.
  void at(unsigned level);
  void forgetChunk();
  mlir::Value iota(mlir::Location loc, mlir::Type element);

  // NestGather.cpp: elements by their indices.
  LeveledValue makeGathered(tile::GatherOp op, const Position &position);
  LeveledValue gatheredIndex(tile::GatherOp op, const Position &position, std::optional<int64_t> exchange);
  LeveledValue addTerm(mlir::Location loc, LeveledValue sum, LeveledValue where, int64_t bytes);
  LeveledValue loadInside(mlir::Location loc, mlir::Type element, LeveledValue address, LeveledValue inside);

  // NestClamped.cpp: addresses that are most often neighbours.
  bool isClamped(mlir::Value pointer);
  mlir::Value loadNeighbours(mlir::Location loc, mlir::Type element, mlir::Value addresses, mlir::Value mask,
                             mlir::Value other);

  // NestMemory.cpp: masks and accesses.
  const MaskBox &maskBox(mlir::Operation *op);
  const AddressBox &addressBox(mlir::Operation *op);
  bool isCovered(mlir::Operation *op, const Position &position);
  LeveledValue rowCondition(mlir::Operation *op, const Position &position, bool ofAllRows = false);
  Mask maskOf(mlir::Operation *op, const Position &position);
  mlir::Value laneMask(mlir::Location loc, const Mask &mask);
  mlir::Value coveredStart(mlir::Operation *op, const Position &position);
  LeveledValue coveredEnd(mlir::Operation *op, const Position &position);
  LeveledValue addressAt(mlir::Location loc, LeveledValue start, llvm::ArrayRef<mlir::Value> strides,
                         const Position &position);
  /// Where the lanes of a load or store are: the address of the first, or a vector of all.
  struct Lanes {
    LeveledValue address;
    mlir::Value stride; ///< Bytes between lanes; null where the address says it all.
  };
  Lanes lanesAt(mlir::Operation *access, const Position &position);
  LeveledValue loadAt(tile::LoadOp op, const Position &position);
  void prefetchNext(tile::LoadOp op, const Position &position, mlir::Value stride);
  void prefetchAhead(int64_t copy, mlir::Value end);
  void storeAt(tile::StoreOp op, LeveledValue value);
  mlir::Value streamedEnd(mlir::Location loc, const MainRange &main);
  LeveledValue readBuffer(mlir::Location loc, const Buffer &buffer, const Position &position);
  void writeBuffer(mlir::Location loc, const Buffer &buffer, const Position &position, mlir::Value value);
  mlir::Value loadLanes(mlir::Location loc, mlir::Type element, mlir::Value address, mlir::Value stride,
                        mlir::Value mask, mlir::Value other);
  void storeLanes(mlir::Location loc, mlir::Type element, mlir::Value value, mlir::Value address, mlir::Value stride,
                  mlir::Value mask);
  mlir::Value lanePointers(mlir::Location loc, mlir::Value address, mlir::Value stride);
  mlir::Value stridesInBytes(mlir::Location loc, const tile::ScalarExpr &stride, int64_t bytes);

  // NestAtomics.cpp: one element after another; in a launch that is alone, one chunk.
  void updateAt(const Root &root, llvm::ArrayRef<LeveledValue> operands);
  void updateAlone(tile::AtomicRmwOp op, LeveledValue value);
  void surveyUpdate(tile::AtomicRmwOp op);
  NestLanes lanesOfUpdate(tile::AtomicRmwOp op);

  // NestAliasing.cpp
  struct Endangered {
    tile::LoadOp op;
    Buffer buffer; ///< For a copy.
  };
  void protectLoads();
  void readCopiesIf(mlir::Value danger, llvm::ArrayRef<Endangered> loads);
  void copyByNest(const Endangered &load, bool scalarOnly);
  void copyBoxes(llvm::ArrayRef<Endangered> loads);
  void emitUnlessOverlapping();
  void emitOneByOne();
  mlir::Value overlap(tile::StoreOp a, tile::StoreOp b);
  mlir::Value conflict(LoadAt load, tile::StoreOp store);
  struct Span;
  Span spanOf(mlir::Location loc, const AddressBox &box, mlir::RankedTensorType type);
  Span spanOfRows(LoadAt load);
  mlir::Value conflict(llvm::ArrayRef<tile::LoadOp> loads, tile::StoreOp store);

  // NestChecks.cpp
  struct Reach;
  std::optional<Reach> reachOf(tile::MemoryAccess access);
  mlir::Value outsideOfArguments(tile::MemoryAccess access, const Reach &reach);
  bool overflowOf(mlir::Value pointer, mlir::Value &overflow);

  // NestReduce.cpp
  llvm::SmallVector<tile::ReduceOp> reductions() const;
  llvm::SmallVector<mlir::Value> initialAccumulators(bool lanes);
  bool haveIdentities();
  llvm::SmallVector<mlir::Value> combineAll(llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right);
  void finishReductions(llvm::ArrayRef<mlir::Value> accumulators);

  KernelEmitter &k_;
  mlir::OpBuilder &b_;
  const Nest &nest_;
  bool scalarOnly_;

  NestSurvey survey_;

  int vectorDim_ = -1;
  int axis_ = -1; ///< Reduced dimension.
  int64_t lanes_ = 1;
  int64_t unroll_ = 1;
  Phase phase_ = Phase::Main;
  bool isStreaming_ = false; ///< The stores of the loop being emitted pass the caches by.
  bool partial_ = false;     ///< The rest loop's last chunk reaches beyond the extent.

  struct Place {
    mlir::Block *block = nullptr;
    mlir::Operation *before = nullptr; ///< Null: at the block's end, before a terminator.
  };
  llvm::SmallVector<Place> places_;
  llvm::SmallVector<mlir::Value> indices_;
  llvm::SmallVector<unsigned> levels_;
  unsigned vectorLevel_ = 0;

  /// The dimension of which the main loop takes `rows_` neighbours at once; -1: none.
  int rowDim_ = -1;
  int64_t rows_ = 1;
  /// The one being emitted; `rows_` in the rest loop, which takes them one by one.
  int64_t row_ = 0;
  llvm::SmallVector<mlir::Value> rowIndices_;
  RowLoads rowLoads_;
  /// In this chunk, by first load and row; by first load, row and offset.
  std::map<std::pair<mlir::Operation *, int64_t>, LeveledValue> sharedAddresses_;
  std::map<std::tuple<mlir::Operation *, int64_t, int64_t>, LeveledValue> sharedLoads_;

  /// Value, position, and row where it depends on that.
  using Key = std::tuple<void *, Position, int64_t>;
  Key keyOf(mlir::Value value, const Position &position) const;
  std::map<Key, LeveledValue> made_;
  llvm::DenseMap<mlir::Value, mlir::Value> broadcasts_;
  LeveledValue laneIndex_;
  std::map<mlir::Operation *, MaskBox> maskBoxes_;
  std::map<mlir::Operation *, AddressBox> addressBoxes_;
  /// Of the next program's loads, made at level 0.
  llvm::DenseMap<mlir::Operation *, mlir::Value> nextStarts_;
  llvm::DenseMap<mlir::Operation *, NextAccess> ahead_; ///< As well.
  /// Loads that this nest reads from scratch after all.
  llvm::DenseMap<mlir::Value, Buffer> protected_;
};

} // namespace tilewise::cpu
