// The loops of a nest: choice of the vector dimension, main and rest loop, and the order of effects inside a chunk.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

NestEmitter::NestEmitter(KernelEmitter &kernel, const Nest &nest, bool scalarOnly)
    : k_(kernel), b_(kernel.b), nest_(nest), scalarOnly_(scalarOnly) {
  for (const Root &root : nest.roots) {
    if (root.kind == Root::Reduce)
      axis_ = cast<tile::ReduceOp>(root.op).getAxis();
    if (root.kind == Root::Atomic) // One element after another.
      scalarOnly_ = true;
  }
}

Position NestEmitter::identity() const {
  Position position;
  for (size_t d = 0; d < nest_.shape.size(); ++d)
    position.push_back(nest_.shape[d] == 1 ? -1 : int8_t(d));
  return position;
}

std::optional<Position> sourcePosition(Operation *op, const Position &position) {
  auto moves = dyn_cast<tile::MovesElements>(op);
  if (!moves || isa<tile::WholeBlocks>(op) || !isa<RankedTensorType>(moves.getSource().getType()))
    return std::nullopt;
  Position inner;
  for (auto [extent, dim] : llvm::zip_equal(tile::shapeOf(moves.getSource().getType()), *moves.getResultDims()))
    inner.push_back(extent == 1 ? -1 : position[size_t(dim)]);
  return inner;
}

bool fillsBesideMask(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select || !isa<RankedTensorType>(select.getCondition().getType()))
    return false;
  Operation *fill = select.getFalseValue().getDefiningOp();
  return isa_and_present<arith::ConstantOp, tile::SplatOp>(fill);
}

void NestEmitter::survey(Value value, const Position &position) {
  if (!isa<RankedTensorType>(value.getType()) || !made_.try_emplace(keyOf(value, position)).second)
    return;
  if (llvm::all_of(position, [](int8_t d) { return d < 0; }))
    return;
  Type element = tile::elementTypeOf(value.getType());
  if (!element.isInteger(1))
    widestBits_ = std::max<unsigned>(widestBits_, unsigned(8 * storageBytes(element)));
  if (auto buffer = k_.buffers.find(value); buffer != k_.buffers.end()) {
    reads_.push_back({buffer->second, position});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (auto inner = sourcePosition(op, position))
    return survey(op->getOperand(0), *inner);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    loads_.push_back({load, position});
  if (fillsBesideMask(op))
    fills_.push_back({op, position});
  ++ops_;
  surveyOperands(op, position);
}

void NestEmitter::surveyOperands(Operation *op, const Position &position) {
  for (Value operand : pulledOperands(k_.inference, op)) {
    auto access = dyn_cast<tile::MemoryAccess>(op);
    if (!access || access.isAtomic() || operand != access.getPointer()) {
      survey(operand, position);
      continue;
    }
    // Addresses whose lanes have a stride are made once a row, as scalars, however wide those are.
    unsigned bits = widestBits_;
    Position rows = rowsOf(op, position);
    survey(operand, rows);
    if (rows != position)
      widestBits_ = bits;
  }
}

void NestEmitter::surveyRoots() {
  for (const Root &root : nest_.roots) {
    if (root.kind == Root::Keep)
      survey(root.value, identity());
    else
      surveyOperands(root.op, identity());
    if (root.kind == Root::Keep)
      widestBits_ = std::max<unsigned>(widestBits_, unsigned(8 * storageBytes(root.destination.element)));
  }
  made_.clear();
}

/// What an access costs along a dimension of the nest: nothing when its lanes are neighbours or equal.
static unsigned strideCost(const tile::AffineForm &address, size_t dim) {
  if (dim >= address.strides.size() || !address.strides[dim])
    return 12;
  const tile::ScalarExpr &stride = *address.strides[dim];
  if (stride.isConstant(0) || stride.isConstant(1))
    return 0;
  // A stride that is only known at run time may well be 1, unless another one is.
  bool mayBeOne = !stride.isConstant() &&
                  llvm::none_of(address.strides, [](const auto &other) { return other && other->isConstant(1); });
  return mayBeOne ? 4 : 8;
}

unsigned NestEmitter::vectorCost(unsigned dim) {
  unsigned cost = 0;
  auto add = [&](const tile::AffineForm &address, const Position &position) {
    for (auto [d, at] : llvm::enumerate(position))
      if (at == int(dim))
        cost += strideCost(address, d);
  };
  auto addBuffer = [&](const Buffer &buffer, const Position &position) {
    for (auto [d, at] : llvm::enumerate(position))
      if (at == int(dim))
        cost += buffer.strides[d] == 1 ? 0 : 8;
  };
  for (LoadAt load : loads_)
    add(k_.inference.access(load.op).address, load.position);
  for (const BufferAt &read : reads_)
    addBuffer(read.buffer, read.position);
  for (const Root &root : nest_.roots) {
    if (root.kind == Root::Store)
      add(k_.inference.access(cast<tile::StoreOp>(root.op)).address, identity());
    else if (root.kind != Root::Reduce)
      addBuffer(root.destination, identity());
  }
  // Half-filled registers waste as much as a strided access costs.
  int64_t full = k_.machine.lanes(widestBits_);
  for (int64_t extent = nest_.shape[dim]; extent < full; extent *= 2)
    cost += 3;
  return cost + (int(dim) == axis_ ? 1 : 0); // Lanes must be combined at the end.
}

void NestEmitter::chooseVectorDim() {
  if (scalarOnly_)
    return;
  unsigned best = ~0u;
  for (size_t d = 0; d < nest_.shape.size(); ++d)
    if (unsigned cost = vectorCost(d); nest_.shape[d] > 1 && cost <= best) {
      best = cost;
      vectorDim_ = int(d);
    }
  if (vectorDim_ < 0)
    return;
  lanes_ = std::min(k_.machine.lanes(widestBits_), int64_t(llvm::bit_floor(uint64_t(nest_.shape[vectorDim_]))));
  // Independent accumulators hide the latency of the combining op, four cycles for a float add, where a chunk has little else to do.
  if (axis_ == vectorDim_ && haveIdentities())
    unroll_ = ops_ <= 4 ? 4 : ops_ <= 8 ? 2 : 1;
  while (unroll_ > 1 && nest_.shape[vectorDim_] < lanes_ * unroll_)
    unroll_ /= 2;
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
  chooseVectorDim();
  chooseRows();
  bool stores = llvm::any_of(nest_.roots, [](const Root &root) { return root.kind == Root::Store; });
  if (storesApart(nest_.roots) || (rows_ > 1 && stores && isAllAffine()))
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
    Made first;
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
  Made first;
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

SmallVector<Value> NestEmitter::emitBody(ArrayRef<Value> accumulators, Made first) {
  unsigned inner = places_.size() - 1;
  // All values before all effects: a load of this chunk precedes every store of it.
  SmallVector<SmallVector<Made>> values;
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
      Made lane = laneIndex();
      at(inner);
      Value extent = b_.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(cast<VectorType>(lane.value.getType()), int32_t(nest_.shape[vectorDim_])));
      Value active = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane.value, extent);
      combined = b_.create<arith::SelectOp>(loc, active, combined, previous);
    }
  }
  return next;
}

unsigned NestEmitter::readingCost(Value block, unsigned dim) {
  survey(block, identity());
  return vectorCost(dim);
}

unsigned readingCost(KernelEmitter &kernel, Value block, unsigned dim) {
  Nest nest{SmallVector<int64_t, 4>(tile::shapeOf(block.getType())), {}};
  return NestEmitter(kernel, nest).readingCost(block, dim);
}

void emitNest(KernelEmitter &kernel, const Nest &nest) { NestEmitter(kernel, nest).emit(); }

} // namespace tilewise::cpu
