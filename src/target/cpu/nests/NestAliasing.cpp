// Loads and stores of a nest that may meet: the tests before it, copies of what is in danger, and
// stores one by one. plan/GuardAliases.h tells why.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tilewise::cpu {

/// The bytes [low, high) that a box covers.
struct NestEmitter::Span {
  Value low, high;
};

/// `low` and `high` are where the first elements lie.
static void widen(KernelEmitter &k, Location loc, ArrayRef<Value> strides, ArrayRef<int64_t> shape, int64_t bytes,
                  Value &low, Value &high) {
  OpBuilder &b = k.b;
  for (auto [stride, extent] : llvm::zip(strides, shape)) {
    if (!stride || extent == 1)
      continue;
    Value last = b.createOrFold<arith::MulIOp>(loc, stride, k.i64(loc, extent - 1));
    low = b.create<arith::AddIOp>(loc, low, b.createOrFold<arith::MinSIOp>(loc, last, k.i64(loc, 0)));
    high = b.create<arith::AddIOp>(loc, high, b.createOrFold<arith::MaxSIOp>(loc, last, k.i64(loc, 0)));
  }
  high = b.create<arith::AddIOp>(loc, high, k.i64(loc, bytes));
}

NestEmitter::Span NestEmitter::spanOf(Location loc, const AddressBox &box, RankedTensorType type) {
  Span span;
  span.low = span.high = b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), box.start);
  widen(k_, loc, box.strides, type.getShape(), storageBytes(type.getElementType()), span.low, span.high);
  return span;
}

/// Of a load that is a box along some dimensions only: the least and the greatest of the addresses
/// at which these boxes start, by loops over the other dimensions. Rows behind the mask count, too:
/// what they add is a copy that was not needed. Of one whose addresses rise or fall along each
/// dimension it is the same loops, which only go to the corners of the block.
NestEmitter::Span NestEmitter::spanOfRows(LoadAt load) {
  Location loc = load.op.getLoc();
  const tile::StructuredAccess &access = k_.inference.access(load.op);
  const bool toCorners = isMonotone(k_.inference, load.op.getPointer());
  const Position rows = toCorners ? load.position : survey_.rowsOf(load.op, load.position);
  SmallVector<Value> strides(access.shape.size());
  at(0);
  for (auto [d, stride] : llvm::enumerate(access.address.strides))
    if (stride && !stride->isZero() && !toCorners)
      strides[d] = stridesInBytes(loc, *stride, storageBytes(access.element));
  // Rows one by one, also where the lanes of the nest lie across them.
  const int vectorDim = std::exchange(vectorDim_, -1);
  Operation *anchor = places_.back().before;
  indices_.assign(nest_.shape.size(), {});
  levels_.assign(nest_.shape.size(), 0);
  Span span{k_.i64(loc, -1), k_.i64(loc, 0)};
  SmallVector<scf::ForOp> loops;
  for (int8_t nestDim : rows) {
    if (nestDim < 0)
      continue;
    const int64_t extent = nest_.shape[nestDim], step = toCorners ? std::max<int64_t>(extent - 1, 1) : 1;
    auto loop = openLoop(loc, k_.i64(loc, 0), k_.i64(loc, extent), step, {span.low, span.high});
    places_.back().before = loop;
    places_.push_back({loop.getBody(), nullptr});
    indices_[nestDim] = loop.getInductionVar();
    levels_[nestDim] = unsigned(places_.size() - 1);
    span = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
    loops.push_back(loop);
    b_.setInsertionPointToEnd(loop.getBody());
  }
  LeveledValue start = make(load.op.getPointer(), rows);
  at(unsigned(places_.size() - 1));
  Value first = b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), start.value);
  span = {b_.create<arith::MinUIOp>(loc, span.low, first), b_.create<arith::MaxUIOp>(loc, span.high, first)};
  for (scf::ForOp loop : llvm::reverse(loops)) {
    b_.create<scf::YieldOp>(loc, ValueRange{span.low, span.high});
    places_.pop_back();
    b_.setInsertionPointAfter(loop);
    span = {loop.getResult(0), loop.getResult(1)};
  }
  vectorDim_ = vectorDim;
  places_.back().before = anchor;
  std::erase_if(made_, [](const auto &entry) { return entry.second.level > 0; });
  widen(k_, loc, strides, access.shape, storageBytes(access.element), span.low, span.high);
  return span;
}

static Value less(OpBuilder &b, Location loc, Value x, Value y) {
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, y);
}

Value NestEmitter::overlap(tile::StoreOp a, tile::StoreOp b) {
  Location loc = b.getLoc();
  Span spans[2];
  for (auto [store, span] : llvm::zip(std::array{a, b}, spans)) {
    const AddressBox box = addressBox(store);
    at(0);
    span = spanOf(loc, box, cast<RankedTensorType>(store.getValue().getType()));
  }
  return b_.create<arith::AndIOp>(loc, less(b_, loc, spans[0].low, spans[1].high),
                                  less(b_, loc, spans[1].low, spans[0].high));
}

/// True when the store overlaps what loads of one pointer cover together, which differ in their
/// first elements only.
Value NestEmitter::conflict(ArrayRef<tile::LoadOp> loads, tile::StoreOp store) {
  Location loc = store.getLoc();
  // Of those that are a known number of elements apart only the first and the last count.
  SmallVector<std::pair<tile::LoadOp, tile::LoadOp>> ends;
  for (tile::LoadOp load : loads) {
    auto ahead = [&](tile::LoadOp other) -> std::optional<int64_t> {
      tile::ScalarExpr apart = *k_.inference.access(load).address.base - *k_.inference.access(other).address.base;
      return apart.isConstant() ? std::optional(apart.constant()) : std::nullopt;
    };
    auto *known = llvm::find_if(ends, [&](auto &end) { return ahead(end.first).has_value(); });
    if (known == ends.end()) {
      ends.push_back({load, load});
      continue;
    }
    if (*ahead(known->first) < 0)
      known->first = load;
    if (*ahead(known->second) > 0)
      known->second = load;
  }
  auto spanAt = [&](Operation *access, RankedTensorType type) {
    const AddressBox box = addressBox(access);
    at(0);
    return spanOf(loc, box, type);
  };
  Span all{};
  for (auto [first, last] : ends) {
    Value low = spanAt(first, cast<RankedTensorType>(first.getType())).low,
          high = spanAt(last, cast<RankedTensorType>(last.getType())).high;
    all.low = all.low ? b_.create<arith::MinUIOp>(loc, all.low, low).getResult() : low;
    all.high = all.high ? b_.create<arith::MaxUIOp>(loc, all.high, high).getResult() : high;
  }
  Span stored = spanAt(store, cast<RankedTensorType>(store.getValue().getType()));
  return b_.create<arith::AndIOp>(loc, less(b_, loc, all.low, stored.high), less(b_, loc, stored.low, all.high));
}

/// True when the boxes overlap without being the same. The store is structured, the load at least
/// along some dimensions.
Value NestEmitter::conflict(LoadAt load, tile::StoreOp store) {
  Location loc = load.op.getLoc();
  auto storeType = cast<RankedTensorType>(store.getValue().getType());
  auto overlapping = [&](Span a, Span c) -> Value {
    return b_.create<arith::AndIOp>(loc, less(b_, loc, a.low, c.high), less(b_, loc, c.low, a.high));
  };
  if (!k_.inference.access(load.op).address.isAffine()) {
    Span rows = spanOfRows(load);
    const AddressBox to = addressBox(store);
    at(0);
    return overlapping(rows, spanOf(loc, to, storeType));
  }
  const AddressBox from = addressBox(load.op), to = addressBox(store);
  auto loadType = cast<RankedTensorType>(load.op.getType());
  Type loaded = loadType.getElementType(), stored = storeType.getElementType();
  ArrayRef<int64_t> loadShape = loadType.getShape(), storeShape = storeType.getShape();
  at(0);
  Span a = spanOf(loc, from, loadType), c = spanOf(loc, to, storeType);
  Value overlap = overlapping(a, c);
  if (load.position != identity() || loadShape != storeShape || storageBytes(loaded) != storageBytes(stored))
    return overlap;
  auto equal = [&](Value x, Value y) { return b_.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y); };
  Value same = equal(b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), from.start),
                     b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), to.start));
  for (auto [x, y, extent] : llvm::zip(from.strides, to.strides, loadShape))
    if (extent > 1 && (x || y))
      same = b_.create<arith::AndIOp>(loc, same, equal(x ? x : k_.i64(loc, 0), y ? y : k_.i64(loc, 0)));
  Value differ = b_.create<arith::XOrIOp>(loc, same, b_.create<arith::ConstantIntOp>(loc, 1, 1));
  return b_.create<arith::AndIOp>(loc, overlap, differ);
}

/// Writes the block that a load gives to scratch, by a nest of its own.
void NestEmitter::copyByNest(const Endangered &load, bool scalarOnly) {
  Nest copy = keepingNest(load.op->getResult(0), load.buffer, load.op->getLoc());
  NestEmitter(k_, copy, scalarOnly).emit();
}

/// Copies what loads of one shape and one mask read: from there it is loaded under that mask again,
/// so elements beside it are left as they are.
void NestEmitter::copyBoxes(ArrayRef<Endangered> loads) {
  Location loc = loads.front().op->getLoc();
  const MaskBox &mask = maskBox(loads.front().op);
  OpBuilder::InsertionGuard guard(b_);
  auto enter = [&](Operation *op, Block *body) {
    b_.setInsertionPointToStart(body);
    if (isa<scf::ForOp>(op))
      b_.setInsertionPoint(b_.create<scf::YieldOp>(loc));
  };
  if (mask.condition) {
    auto branch = b_.create<scf::IfOp>(loc, mask.condition, /*withElse=*/false);
    enter(branch, branch.thenBlock());
  }
  SmallVector<std::pair<Value, Value>> ways; // From, to.
  for (const Endangered &load : loads)
    ways.push_back({addressBoxes_[load.op].start, k_.bufferPointer(loc, load.buffer)});
  for (auto [d, extent] : llvm::enumerate(loads.front().buffer.shape)) {
    Value lower = mask.lowers[d] ? mask.lowers[d] : k_.i64(loc, 0);
    auto loop = openLoop(loc, lower, mask.uppers[d] ? mask.uppers[d] : k_.i64(loc, extent), 1, {});
    enter(loop, loop.getBody());
    auto advance = [&](Value &pointer, Value stride) {
      if (stride)
        pointer = k_.offsetPointer(loc, pointer, b_.create<arith::MulIOp>(loc, loop.getInductionVar(), stride));
    };
    for (auto [load, way] : llvm::zip(loads, ways)) {
      advance(way.first, addressBoxes_[load.op].strides[d]);
      advance(way.second, k_.i64(loc, load.buffer.strides[d] * storageBytes(load.buffer.element)));
    }
  }
  for (auto [load, way] : llvm::zip(loads, ways)) {
    unsigned bytes = unsigned(storageBytes(load.buffer.element));
    Value element = b_.create<LLVM::LoadOp>(loc, storageType(load.buffer.element), way.first, bytes);
    b_.create<LLVM::StoreOp>(loc, element, way.second, bytes);
  }
}

/// In danger, all of the loads are copied: one branch, and one loop for those that go through
/// memory alike.
void NestEmitter::readCopiesIf(Value danger, ArrayRef<Endangered> loads) {
  for (const Endangered &load : loads)
    maskBox(load.op); // Its bounds, before the branch that is not the only one to use them.
  at(0);
  Location loc = loads.front().op->getLoc();
  SmallVector<Type> types;
  for (const Endangered &load : loads) {
    types.push_back(addressBoxes_[load.op].start.getType());
    types.append(load.buffer.shape.size(), b_.getI64Type());
  }
  auto branch = b_.create<scf::IfOp>(loc, types, danger, /*withElse=*/true);
  b_.setInsertionPointToStart(branch.thenBlock());
  auto maskOfLoad = [](Endangered load) -> Value { return load.op.getMask(); };
  SmallVector<SmallVector<Endangered, 2>> alike;
  for (const Endangered &load : loads) {
    if (!maskBox(load.op).remainder.empty()) {
      copyByNest(load, /*scalarOnly=*/true);
      continue;
    }
    auto *group = llvm::find_if(alike, [&](ArrayRef<Endangered> others) {
      return maskOfLoad(load) == maskOfLoad(others.front()) && load.buffer.shape == others.front().buffer.shape;
    });
    if (group == alike.end())
      alike.push_back({load});
    else
      group->push_back(load);
  }
  for (ArrayRef<Endangered> group : alike)
    copyBoxes(group);
  SmallVector<Value> moved, stays;
  for (const Endangered &load : loads) {
    moved.push_back(k_.bufferPointer(loc, load.buffer));
    for (int64_t elements : load.buffer.strides)
      moved.push_back(k_.i64(loc, elements * storageBytes(load.buffer.element)));
  }
  b_.create<scf::YieldOp>(loc, moved);
  b_.setInsertionPointToStart(branch.elseBlock());
  for (const Endangered &load : loads) {
    stays.push_back(addressBoxes_[load.op].start);
    for (Value stride : addressBoxes_[load.op].strides)
      stays.push_back(stride ? stride : k_.i64(loc, 0));
  }
  b_.create<scf::YieldOp>(loc, stays);
  unsigned next = 0;
  for (const Endangered &load : loads) {
    AddressBox &box = addressBoxes_[load.op];
    box.start = branch.getResult(next++);
    for (auto [stride, elements] : llvm::zip(box.strides, load.buffer.strides)) {
      // Where both have one stride it stays a constant: lanes that are neighbours are neighbours in
      // the copy.
      Value either = branch.getResult(next++);
      APInt before;
      if (!(stride && matchPattern(stride, m_ConstantInt(&before)) &&
            before == uint64_t(elements * storageBytes(load.buffer.element))))
        stride = either;
    }
  }
}

void NestEmitter::protectLoads() {
  SmallVector<tile::StoreOp> stores;
  for (const Root &root : nest_.roots)
    if (root.kind == Root::Store)
      stores.push_back(cast<tile::StoreOp>(root.op));
  if (stores.empty())
    return;
  // Everything here stands before the nest, at the builder's place.
  OpBuilder::InsertPoint outside = b_.saveInsertionPoint();
  places_.push_back(
      {outside.getBlock(), outside.getPoint() == outside.getBlock()->end() ? nullptr : &*outside.getPoint()});

  llvm::DenseSet<Operation *> done;
  SmallVector<Endangered> endangered;
  Value danger;
  for (LoadAt load : survey_.loads) {
    const bool isCopied = load.op->hasAttr(kCopiedAttr);
    if (!(isCopied || load.op->hasAttr(kTestedAttr)) || !done.insert(load.op).second)
      continue;
    Location loc = load.op.getLoc();
    Value found;
    for (tile::StoreOp store : stores)
      if (!isCopied && !sameElements(survey_, load, store)) {
        Value one = conflict(load, store);
        found = found ? b_.create<arith::OrIOp>(loc, found, one).getResult() : one;
      }
    at(0);
    Buffer buffer = k_.allocate(tile::shapeOf(load.op.getType()), tile::elementTypeOf(load.op.getType()));
    if (isCopied) {
      copyByNest({load.op, buffer}, /*scalarOnly=*/false);
      protected_[load.op.getResult()] = buffer;
      continue;
    }
    endangered.push_back({load.op, buffer});
    danger = danger ? b_.create<arith::OrIOp>(loc, danger, found).getResult() : found;
  }
  if (danger)
    readCopiesIf(danger, endangered);
  b_.restoreInsertionPoint(outside);
  if (outside.getPoint() == outside.getBlock()->end())
    b_.setInsertionPointToEnd(outside.getBlock());
  places_.clear();
}

/// Whether both loads are the same box, but for where it starts.
static bool startsElsewhere(KernelEmitter &k, tile::LoadOp a, tile::LoadOp b) {
  tile::StructuredAccess x = k.inference.access(a), y = k.inference.access(b);
  return x.address.pointer == y.address.pointer && x.shape == y.shape && x.element == y.element &&
         llvm::equal(x.address.strides, y.address.strides);
}

/// A nest whose stores go to different addresses, or that takes rows together: as it is where none
/// of the stores overlaps anything, else one by one.
void NestEmitter::emitUnlessOverlapping() {
  SmallVector<tile::StoreOp> stores;
  for (const Root &root : nest_.roots)
    if (root.kind == Root::Store)
      stores.push_back(cast<tile::StoreOp>(root.op));
  Location loc = stores.front().getLoc();
  OpBuilder::InsertPoint outside = b_.saveInsertionPoint();
  places_.push_back(
      {outside.getBlock(), outside.getPoint() == outside.getBlock()->end() ? nullptr : &*outside.getPoint()});
  Value danger;
  auto add = [&](Value found) {
    at(0);
    danger = danger ? b_.create<arith::OrIOp>(loc, danger, found).getResult() : found;
  };
  for (auto [i, store] : llvm::enumerate(stores)) {
    for (tile::StoreOp earlier : ArrayRef(stores).take_front(i))
      if (earlier.getPointer() != store.getPointer())
        add(overlap(earlier, store));
    llvm::SmallPtrSet<Operation *, 8> done;
    for (LoadAt load : survey_.loads) {
      if (rows_ == 1) {
        if (!sameElements(survey_, load, store))
          add(conflict(load, store));
        continue;
      }
      // Loads of neighbouring rows overlap one another, and together what they are stored to in
      // place.
      SmallVector<tile::LoadOp> family;
      for (LoadAt other : survey_.loads)
        if (startsElsewhere(k_, load.op, other.op) && done.insert(other.op).second)
          family.push_back(other.op);
      if (!family.empty())
        add(conflict(family, store));
    }
  }
  at(0);
  places_.clear();
  auto branch = b_.create<scf::IfOp>(loc, danger, /*withElse=*/true);
  b_.setInsertionPointToStart(branch.thenBlock());
  emitOneByOne();
  b_.setInsertionPointToStart(branch.elseBlock());
  emitHere();
  b_.setInsertionPointAfter(branch);
}

void NestEmitter::emitOneByOne() {
  Nest keeps{nest_.shape, {}};
  llvm::copy_if(nest_.roots, std::back_inserter(keeps.roots),
                [](const Root &root) { return root.kind != Root::Store; });
  llvm::DenseMap<Value, Buffer> copies;
  for (LoadAt load : survey_.loads) {
    Value loaded = load.op.getResult();
    if (copies.count(loaded))
      continue;
    ArrayRef<int64_t> shape = tile::shapeOf(loaded.getType());
    Buffer buffer = k_.allocate(shape, tile::elementTypeOf(loaded.getType()));
    // Small code for the many loads of a stencil, which rarely overlap what they are stored to.
    NestEmitter(k_, keepingNest(loaded, buffer, loaded.getLoc()), /*scalarOnly=*/rows_ > 1).emit();
    copies[loaded] = buffer;
  }
  auto emitApart = [&](const Nest &nest) {
    NestEmitter part(k_, nest, /*scalarOnly=*/rows_ > 1);
    part.protected_ = copies;
    part.surveyRoots();
    part.takeLanes();
    part.emitHere();
  };
  if (!keeps.roots.empty())
    emitApart(keeps);
  for (const Root &root : nest_.roots)
    if (root.kind == Root::Store)
      emitApart({nest_.shape, {root}});
}

} // namespace tilewise::cpu
