// The loops along the vector dimension: main loop, its copy that streams, rest loop; and what of
// the nest each of them covers.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

/// Whole steps in which all masks that the inference understands are true, in every row that is
/// taken at once.
NestEmitter::MainRange NestEmitter::mainRange(Location loc, int64_t step) {
  unsigned row = vectorLevel_ - 1;
  MainRange main{{}, k_.i64(loc, nest_.shape[vectorDim_] / step * step)};
  auto narrow = [&](Operation *op, const Position &position) {
    if (!isCovered(op, position))
      return;
    Value from = coveredStart(op, position), until = coveredEnd(op, position).value;
    at(row);
    main.isMasked = true;
    main.end = b_.createOrFold<arith::MinSIOp>(loc, main.end, until);
    if (from)
      main.start = main.start ? b_.createOrFold<arith::MaxSIOp>(loc, main.start, from) : from;
  };
  for (LoadAt load : survey_.loads)
    if (llvm::is_contained(load.position, vectorDim_))
      narrow(load.op, load.position);
  for (const auto &[fill, position] : survey_.fills)
    if (llvm::is_contained(position, vectorDim_))
      narrow(fill, position);
  for (const Root &root : nest_.roots)
    if (root.kind == Root::Store || root.kind == Root::Update)
      narrow(root.op, identity());
  // Asking for masks may have moved the builder to where their bounds are computed.
  at(row);
  Value whole = k_.i64(loc, -step); // Steps are powers of two.
  if (main.isMasked)
    main.end = b_.create<arith::AndIOp>(loc, main.end, whole);
  if (main.start) {
    Value up = b_.create<arith::AddIOp>(loc, main.start, k_.i64(loc, step - 1));
    main.start = b_.create<arith::AndIOp>(loc, up, whole);
    main.end = b_.create<arith::MaxSIOp>(loc, main.end, main.start);
  }
  return main;
}

/// Where a nest's last chunk ends: at the extent; one that only stores is over where the last mask
/// is.
Value NestEmitter::storesEnd(Location loc) {
  unsigned row = vectorLevel_ - 1;
  Value end;
  for (const Root &root : nest_.roots) {
    if ((root.kind != Root::Store && root.kind != Root::Update) || !isCovered(root.op, identity())) {
      at(row);
      return k_.i64(loc, nest_.shape[vectorDim_]);
    }
    Value until = coveredEnd(root.op, identity()).value;
    at(row);
    end = end ? b_.createOrFold<arith::MaxSIOp>(loc, end, until) : until;
  }
  at(row);
  return end;
}

/// The loops of one row, or of the rows that the main loop takes at once.
class NestEmitter::VectorLoops {
public:
  VectorLoops(NestEmitter &nest, Location loc)
      : n_(nest), b_(nest.b_), loc_(loc), row_(nest.vectorLevel_ - 1), step_(nest.lanes_ * nest.unroll_),
        main_(nest.mainRange(loc, step_)) {}

  void emit() {
    const int64_t extent = n_.nest_.shape[n_.vectorDim_];
    const bool reduces = n_.axis_ == n_.vectorDim_, hasRest = main_.isMasked || extent % step_ != 0;
    Value end = hasRest && n_.rows_ == 1 ? n_.storesEnd(loc_) : Value();
    SmallVector<Value> accumulators;
    if (reduces)
      for (int64_t u = 0; u < n_.unroll_; ++u)
        llvm::append_range(accumulators, n_.initialAccumulators(/*lanes=*/true));
    Operation *anchor = n_.places_[row_].before;
    accumulators = emitMain(std::move(accumulators));
    if (hasRest)
      accumulators = n_.rows_ > 1 ? emitRestOfRows(accumulators) : emitRest(accumulators, end);
    if (reduces)
      n_.finishReductions(accumulators);
    n_.places_[row_].before = anchor;
  }

private:
  Value i64(int64_t value) { return n_.k_.i64(loc_, value); }

  /// `copies` chunks of each step of the loop; each has its own accumulators among `carried`.
  SmallVector<Value> emitLoop(Value from, Value to, int64_t by, ArrayRef<Value> carried, int64_t copies) {
    auto loop = n_.openLoop(loc_, from, to, by, carried);
    if (isFirst_) // What later loops need at this level can stand before the first one, too.
      n_.places_[row_].before = loop;
    isFirst_ = false;
    n_.places_.push_back({loop.getBody(), nullptr});
    SmallVector<Value> next;
    const size_t count = carried.size() / size_t(copies);
    for (int64_t u = 0; u < copies; ++u) {
      n_.at(n_.vectorLevel_);
      n_.indices_[n_.vectorDim_] = indexOf(loop.getInductionVar(), u);
      for (int64_t each = 0; each < n_.rows_ && n_.phase_ == Phase::Main; ++each) {
        n_.enterRow(each);
        n_.prefetchAhead(u, main_.end);
      }
      SmallVector<Value> taken(loop.getRegionIterArgs().slice(size_t(u) * count, count));
      llvm::append_range(next, n_.emitChunk(taken));
      n_.forgetChunk();
    }
    n_.at(n_.vectorLevel_);
    b_.create<scf::YieldOp>(loc_, next);
    n_.places_.pop_back();
    b_.setInsertionPointAfter(loop);
    return SmallVector<Value>(loop.getResults());
  }

  /// Of a chunk's first element.
  Value indexOf(Value index, int64_t copy) {
    if (copy > 0)
      index = b_.create<arith::AddIOp>(loc_, index, i64(copy * n_.lanes_));
    if (!gap_)
      return index;
    Value isBehind = b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::sge, index, main_.start);
    Value skipped = b_.create<arith::SelectOp>(loc_, isBehind, gap_, i64(0));
    return b_.create<arith::AddIOp>(loc_, index, skipped);
  }

  /// The main loop, after one whose stores pass the caches by where the launch asks for it; gives
  /// one set of accumulators.
  SmallVector<Value> emitMain(SmallVector<Value> accumulators) {
    Value from = main_.start ? main_.start : i64(0), until = n_.streamedEnd(loc_, main_);
    n_.at(row_);
    if (until) {
      n_.isStreaming_ = true;
      accumulators = emitLoop(from, until, step_, accumulators, n_.unroll_);
      n_.isStreaming_ = false;
      from = until;
    }
    accumulators = emitLoop(from, main_.end, step_, accumulators, n_.unroll_);
    const size_t count = accumulators.size() / size_t(n_.unroll_);
    SmallVector<Value> sum(ArrayRef<Value>(accumulators).take_front(count));
    for (int64_t u = 1; u < n_.unroll_ && count > 0; ++u)
      sum = n_.combineAll(sum, ArrayRef<Value>(accumulators).slice(size_t(u) * count, count));
    return sum;
  }

  /// What the main loop left: chunks behind it and, where it did not begin at 0, those before it,
  /// in one loop that skips what lies between.
  SmallVector<Value> emitRest(ArrayRef<Value> accumulators, Value end) {
    n_.phase_ = Phase::Rest;
    if (main_.start && !gap_)
      gap_ = b_.create<arith::SubIOp>(loc_, main_.end, main_.start);
    if (gap_)
      end = b_.create<arith::SubIOp>(loc_, end, gap_);
    return emitLoop(gap_ ? i64(0) : main_.end, end, n_.lanes_, accumulators, 1);
  }

  /// The same one row after another, unless the main loop was all there is.
  SmallVector<Value> emitRestOfRows(ArrayRef<Value> accumulators) {
    n_.phase_ = Phase::Rest;
    if (main_.start)
      gap_ = b_.create<arith::SubIOp>(loc_, main_.end, main_.start);
    Value taken = gap_ ? gap_ : main_.end, firstRow = n_.rowIndices_.front();
    Value isOver = b_.create<arith::CmpIOp>(loc_, arith::CmpIPredicate::eq, taken, i64(n_.nest_.shape[n_.vectorDim_]));
    Value behind = b_.create<arith::AddIOp>(loc_, firstRow, i64(n_.rows_));
    auto loop = n_.openLoop(loc_, firstRow, b_.create<arith::SelectOp>(loc_, isOver, firstRow, behind), 1, {});
    n_.places_.push_back({loop.getBody(), nullptr});
    b_.setInsertionPointToEnd(loop.getBody());
    b_.create<scf::YieldOp>(loc_);
    n_.levels_[n_.rowDim_] = ++row_;
    n_.levels_[n_.vectorDim_] = n_.vectorLevel_ = row_ + 1;
    n_.indices_[n_.rowDim_] = loop.getInductionVar();
    n_.row_ = n_.rows_;
    isFirst_ = true;
    n_.at(row_);
    SmallVector<Value> result = emitRest(accumulators, n_.storesEnd(loc_));
    n_.places_.pop_back();
    --row_;
    return result;
  }

  NestEmitter &n_;
  OpBuilder &b_;
  Location loc_;
  unsigned row_; ///< The level around the loops.
  int64_t step_;
  MainRange main_;
  bool isFirst_ = true;
  /// Of the rest loop: where it reaches the main loop's start, it goes on at the main loop's end.
  Value gap_;
};

void NestEmitter::emitChunks(Location loc) {
  vectorLevel_ = unsigned(places_.size());
  levels_[vectorDim_] = vectorLevel_;
  partial_ = nest_.shape[vectorDim_] % lanes_ != 0;
  phase_ = Phase::Main;
  Value firstRow = rows_ > 1 ? indices_[rowDim_] : Value();
  for (int64_t u = 0; u < rows_ && rows_ > 1; ++u)
    rowIndices_.push_back(u == 0 ? firstRow : b_.create<arith::AddIOp>(loc, firstRow, k_.i64(loc, u)).getResult());
  VectorLoops(*this, loc).emit();
}

} // namespace tilewise::cpu
