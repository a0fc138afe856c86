// The loops of a nest: choice of the vector dimension, main and rest loop, and the order of effects
// inside a chunk.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

NestEmitter::NestEmitter(KernelEmitter &kernel, const Nest &nest, bool scalarOnly)
    : k_(kernel), b_(kernel.b), nest_(nest), scalarOnly_(scalarOnly),
      survey_(kernel.inference, nest.shape, [this](Value value) { return k_.buffers.contains(value); }) {
  for (const Root &root : nest.roots) {
    if (root.kind == Root::Reduce)
      axis_ = cast<tile::ReduceOp>(root.op).getAxis();
    if (root.kind == Root::Atomic) // One element after another.
      scalarOnly_ = true;
  }
}

Position NestEmitter::identity() const { return survey_.identity(); }

void NestEmitter::surveyRoots() {
  for (const Root &root : nest_.roots) {
    if (root.kind == Root::Update) {
      surveyUpdate(cast<tile::AtomicRmwOp>(root.op));
      continue;
    }
    if (root.kind != Root::Keep) {
      survey_.takeOperands(root.op, identity());
      continue;
    }
    survey_.take(root.value, identity());
    survey_.takeElement(root.destination.element, identity());
  }
}

NestEnds NestEmitter::ends() const {
  NestEnds ends{{}, {}, {}, [this](Value block) { return k_.buffers[block].strides; }};
  for (const Root &root : nest_.roots) {
    if (root.kind == Root::Store)
      ends.stores.push_back(cast<tile::StoreOp>(root.op));
    else if (root.kind == Root::Reduce)
      ends.reductions.push_back(cast<tile::ReduceOp>(root.op));
    else if (root.kind != Root::Update)
      ends.written.push_back(root.destination.strides);
  }
  return ends;
}

void NestEmitter::takeLanes() {
  NestLanes lanes;
  if (!scalarOnly_)
    lanes = nest_.lanes ? *nest_.lanes : chooseLanes(survey_, ends(), k_.machine);
  if (const Root &root = nest_.roots.front(); root.kind == Root::Update)
    lanes = lanesOfUpdate(cast<tile::AtomicRmwOp>(root.op));
  vectorDim_ = lanes.dim;
  if (vectorDim_ < 0)
    return;
  lanes_ = lanes.count;
  unroll_ = lanes.copies;
  if (nest_.rows > 1) {
    rows_ = nest_.rows;
    rowDim_ = nest_.rowDim;
    rowLoads_ = sharedLoads(survey_, vectorDim_, unsigned(rowDim_));
  }
}

scf::ForOp NestEmitter::openLoop(Location loc, Value begin, Value end, int64_t step, ValueRange carried) {
  return b_.create<scf::ForOp>(loc, begin, end, k_.i64(loc, step), carried,
                               [](OpBuilder &, Location, Value, ValueRange) {});
}

void NestEmitter::at(unsigned level) {
  Place &place = places_[level];
  if (place.before)
    b_.setInsertionPoint(place.before);
  else if (!place.block->empty() && place.block->back().hasTrait<OpTrait::IsTerminator>())
    b_.setInsertionPoint(&place.block->back());
  else
    b_.setInsertionPointToEnd(place.block);
}

void NestEmitter::emit() {
  if (nest_.roots.empty() || k_.failed)
    return;
  surveyRoots();
  takeLanes();
  if (nest_.guard == Guard::one_by_one)
    return emitOneByOne();
  if (nest_.guard == Guard::unless_overlapping)
    return emitUnlessOverlapping();
  if (!scalarOnly_) // Nests of scalars have no store next to a load.
    protectLoads();
  emitHere();
}

void NestEmitter::emitHere() {
  OpBuilder::InsertPoint outside = b_.saveInsertionPoint();
  Operation *after = outside.getPoint() == outside.getBlock()->end() ? nullptr : &*outside.getPoint();
  places_.push_back({outside.getBlock(), after});
  emitLoops();
  b_.restoreInsertionPoint(outside);
  if (!after)
    b_.setInsertionPointToEnd(places_[0].block);
}

void NestEmitter::emitLoops() {
  Location loc = nest_.roots.front().loc;
  size_t rank = nest_.shape.size();
  indices_.assign(rank, {});
  levels_.assign(rank, 0);
  Value zero = k_.i64(loc, 0);
  for (size_t d = 0; d < rank; ++d)
    if (nest_.shape[d] == 1)
      indices_[d] = zero;

  SmallVector<size_t> outer;
  for (size_t d = 0; d < rank; ++d)
    if (!indices_[d] && int(d) != vectorDim_ && int(d) != axis_ && int(d) != rowDim_)
      outer.push_back(d);
  if (rowDim_ >= 0) // Next to the chunks that its rows share.
    outer.push_back(size_t(rowDim_));
  for (size_t d : outer) {
    auto loop = openLoop(loc, zero, k_.i64(loc, nest_.shape[d]), int(d) == rowDim_ ? rows_ : 1, {});
    places_.back().before = loop;
    places_.push_back({loop.getBody(), nullptr});
    indices_[d] = loop.getInductionVar();
    levels_[d] = places_.size() - 1;
    b_.setInsertionPointToEnd(loop.getBody());
    b_.create<scf::YieldOp>(loc);
    at(places_.size() - 1);
  }
  if (vectorDim_ >= 0)
    return emitChunks(loc);
  finishReductions(emitChunk({}));
}

SmallVector<Value> NestEmitter::emitChunk(ArrayRef<Value> accumulators) {
  if (axis_ < 0 || axis_ == vectorDim_) {
    LeveledValue first;
    if (axis_ >= 0 && !haveIdentities()) {
      at(vectorLevel_);
      Location loc = nest_.roots.front().loc;
      first = {b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, indices_[vectorDim_], k_.i64(loc, 0)),
               vectorLevel_};
    }
    return emitBody(accumulators, first);
  }
  // The reduced dimension has a loop of its own, inside the chunk.
  Location loc = nest_.roots.front().loc;
  unsigned outer = places_.size() - 1;
  at(outer);
  SmallVector<Value> initial = initialAccumulators(vectorDim_ >= 0);
  auto loop = openLoop(loc, k_.i64(loc, 0), k_.i64(loc, nest_.shape[axis_]), 1, initial);
  Operation *anchor = places_[outer].before;
  places_[outer].before = loop;
  places_.push_back({loop.getBody(), nullptr});
  indices_[axis_] = loop.getInductionVar();
  levels_[axis_] = outer + 1;
  LeveledValue first;
  if (!haveIdentities()) {
    at(outer + 1);
    first = {b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, indices_[axis_], k_.i64(loc, 0)), outer + 1};
  }
  SmallVector<Value> next = emitBody(SmallVector<Value>(loop.getRegionIterArgs()), first);
  at(outer + 1);
  b_.create<scf::YieldOp>(loc, next);
  places_.pop_back();
  places_[outer].before = anchor;
  b_.setInsertionPointAfter(loop);
  if (vectorDim_ < 0)
    return SmallVector<Value>(loop.getResults());
  finishReductions(SmallVector<Value>(loop.getResults()));
  return {};
}

SmallVector<Value> NestEmitter::emitBody(ArrayRef<Value> accumulators, LeveledValue first) {
  unsigned inner = places_.size() - 1;
  // All values before all effects: a load of this chunk precedes every store of it.
  SmallVector<SmallVector<LeveledValue>> values;
  SmallVector<std::pair<int64_t, const Root *>> effects;
  for (int64_t row = 0; row < (phase_ == Phase::Main ? rows_ : 1); ++row)
    for (const Root &root : nest_.roots)
      effects.push_back({row, &root});
  for (auto [row, each] : effects) {
    const Root &root = *each;
    enterRow(row);
    auto &made = values.emplace_back();
    if (root.kind == Root::Store)
      made.push_back(make(cast<tile::StoreOp>(root.op).getValue(), identity()));
    else if (root.kind == Root::Keep)
      made.push_back(make(root.value, identity()));
    else if (root.kind == Root::Update)
      made.push_back(make(cast<tile::AtomicRmwOp>(root.op).getValue(), identity()));
    else if (root.kind == Root::Atomic)
      for (Value operand : root.op->getOperands())
        made.push_back(make(operand, identity()));
    else
      for (Value source : cast<tile::ReduceOp>(root.op).getSources())
        made.push_back(make(source, identity()));
    if (k_.failed)
      return SmallVector<Value>(accumulators);
  }

  SmallVector<Value> elements;
  for (auto [effect, made] : llvm::zip(effects, values)) {
    const Root &root = *effect.second;
    enterRow(effect.first);
    at(inner); // The one before may have ended in a branch.
    if (root.kind == Root::Atomic) {
      updateAt(root, made);
    } else if (root.kind == Root::Update) {
      updateAlone(cast<tile::AtomicRmwOp>(root.op), made[0]);
    } else if (root.kind == Root::Store) {
      storeAt(cast<tile::StoreOp>(root.op), made[0]);
    } else if (root.kind == Root::Reduce) {
      for (auto [value, source] : llvm::zip(made, cast<tile::ReduceOp>(root.op).getSources()))
        elements.push_back(vectorDim_ >= 0 ? lanesOf(value, tile::elementTypeOf(source.getType())).value : value.value);
    } else {
      Type element = tile::elementTypeOf(root.value.getType());
      Value value = vectorDim_ >= 0 ? lanesOf(made[0], element).value : made[0].value;
      at(inner);
      writeBuffer(root.loc, root.destination, identity(), value);
    }
  }
  if (elements.empty() || k_.failed)
    return SmallVector<Value>(accumulators);
  at(inner);
  Location loc = nest_.roots.front().loc;
  SmallVector<Value> next = combineAll(accumulators, elements);
  for (auto [combined, element, previous] : llvm::zip(next, elements, accumulators)) {
    if (first)
      combined = b_.create<arith::SelectOp>(loc, first.value, element, combined);
    if (partial_ && phase_ == Phase::Rest && axis_ == vectorDim_) {
      LeveledValue lane = laneIndex();
      at(inner);
      Value extent = b_.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(cast<VectorType>(lane.value.getType()), int32_t(nest_.shape[vectorDim_])));
      Value active = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane.value, extent);
      combined = b_.create<arith::SelectOp>(loc, active, combined, previous);
    }
  }
  return next;
}

Nest keepingNest(Value value, const Buffer &destination, Location loc) {
  return {destination.shape, {{Root::Keep, nullptr, value, destination, loc}}};
}

void emitNest(KernelEmitter &kernel, const Nest &nest) { NestEmitter(kernel, nest).emit(); }

} // namespace tilewise::cpu
