// Loads and stores of a chunk: straight vectors where lanes are neighbours, gathers otherwise;
// masks from their boxes.
#include "target/cpu/nests/NestEmitter.h"
#include "target/cpu/nests/PerfWarnings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

static tile::StructuredAccess accessOf(KernelEmitter &k, Operation *op) {
  if (auto access = dyn_cast<tile::MemoryAccess>(op))
    return k.inference.access(access);
  auto select = cast<arith::SelectOp>(op);
  tile::StructuredAccess access;
  access.shape = llvm::SmallVector<int64_t, 2>(tile::shapeOf(select.getType()));
  access.mask = k.inference.mask(select.getCondition());
  return access;
}

static Value clampTo(OpBuilder &b, Location loc, Value value, Value low, Value high) {
  return b.createOrFold<arith::MinSIOp>(loc, b.createOrFold<arith::MaxSIOp>(loc, value, low), high);
}

Value evaluateBound(KernelEmitter &k, Location loc, const tile::Bound &bound, bool isUpper) {
  Value result;
  for (const tile::ScalarExpr &expr : bound.exprs) {
    Value value = k.evaluate(loc, expr + tile::ScalarExpr(bound.divisor - 1));
    if (bound.divisor != 1)
      value = k.b.create<arith::DivSIOp>(loc, value, k.i64(loc, bound.divisor));
    if (result)
      value = isUpper ? k.b.createOrFold<arith::MaxSIOp>(loc, result, value)
                      : k.b.createOrFold<arith::MinSIOp>(loc, result, value);
    result = value;
  }
  return result;
}

static LeveledValue both(OpBuilder &b, Location loc, LeveledValue a, LeveledValue c, function_ref<void(unsigned)> at) {
  if (!a)
    return c;
  unsigned level = std::max(a.level, c.level);
  at(level);
  return {b.create<arith::AndIOp>(loc, a.value, c.value), level};
}

const NestEmitter::MaskBox &NestEmitter::maskBox(Operation *op) {
  auto [entry, isNew] = maskBoxes_.try_emplace(op);
  MaskBox &box = entry->second;
  if (!isNew)
    return box;
  tile::StructuredAccess access = accessOf(k_, op);
  size_t rank = access.shape.size();
  box.lowers.assign(rank, {});
  box.uppers.assign(rank, {});
  if (!access.mask)
    return box;
  box.exists = true;
  Location loc = op->getLoc();
  at(0);
  for (size_t d = 0; d < rank; ++d) {
    const tile::DimBounds &bounds = access.mask->dims[d];
    Value zero = k_.i64(loc, 0), extent = k_.i64(loc, access.shape[d]);
    for (const tile::Bound &upper : bounds.uppers) {
      Value value = clampTo(b_, loc, evaluateBound(k_, loc, upper, true), zero, extent);
      box.uppers[d] = box.uppers[d] ? b_.createOrFold<arith::MinSIOp>(loc, box.uppers[d], value) : value;
    }
    for (const tile::Bound &lower : bounds.lowers) {
      Value value = clampTo(b_, loc, evaluateBound(k_, loc, lower, false), zero, extent);
      box.lowers[d] = box.lowers[d] ? b_.createOrFold<arith::MaxSIOp>(loc, box.lowers[d], value) : value;
    }
    if (box.lowers[d] && matchPattern(box.lowers[d], m_Zero()))
      box.lowers[d] = {};
  }
  auto require = [&](Value condition) {
    box.condition = box.condition ? b_.create<arith::AndIOp>(loc, box.condition, condition).getResult() : condition;
  };
  for (Value condition : access.mask->conditions)
    require(k_.scalars.lookup(condition));
  for (const tile::ScalarExpr &positive : access.mask->positives)
    require(b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, k_.evaluate(loc, positive), k_.i64(loc, 0)));
  box.remainder.assign(access.mask->remainder.begin(), access.mask->remainder.end());
  return box;
}

/// Whether the main loop may take the mask for true: it is a box whose bounds in other dimensions
/// are known outside the loop. The chunks before a lower bound come after the main loop's, which a
/// reduction that takes the first chunk for its start does not allow.
bool NestEmitter::isCovered(Operation *op, const Position &position) {
  const MaskBox &box = maskBox(op);
  if (!box.exists || !box.remainder.empty())
    return false;
  for (auto [d, nestDim] : llvm::enumerate(position)) {
    bool bounded = box.lowers[d] || box.uppers[d];
    if (nestDim < 0)
      continue;
    if (nestDim == vectorDim_ ? box.lowers[d] && axis_ == vectorDim_ && !haveIdentities() : bounded && nestDim == axis_)
      return false;
  }
  return true;
}

/// The part of the mask that is the same in all lanes; of all rows that the main loop takes at
/// once, or of the current one.
LeveledValue NestEmitter::rowCondition(Operation *op, const Position &position, bool ofAllRows) {
  const MaskBox &box = maskBox(op);
  Location loc = op->getLoc();
  auto place = [&](unsigned level) { at(level); };
  LeveledValue condition{box.condition, 0};
  for (auto [d, nestDim] : llvm::enumerate(position)) {
    if (nestDim >= 0 && nestDim == vectorDim_)
      continue;
    LeveledValue where = nestDim == -1 ? LeveledValue{} : index(nestDim);
    bool isRange = ofAllRows && nestDim >= 0 && nestDim == rowDim_;
    auto compare = [&](arith::CmpIPredicate predicate, Value bound) {
      if (!bound)
        return;
      at(where.level);
      Value left = where.value ? where.value : k_.i64(loc, 0);
      // The first row is beyond a lower bound when all are, the last one before an upper bound.
      if (isRange)
        left = predicate == arith::CmpIPredicate::sge ? rowIndices_.front() : rowIndices_.back();
      condition = both(b_, loc, condition, {b_.create<arith::CmpIOp>(loc, predicate, left, bound), where.level}, place);
    };
    compare(arith::CmpIPredicate::sge, box.lowers[d]);
    compare(arith::CmpIPredicate::slt, box.uppers[d]);
  }
  return condition;
}

/// From where on, along the vector dimension, a covered mask is true; null: from 0.
Value NestEmitter::coveredStart(Operation *op, const Position &position) {
  for (auto [d, nestDim] : llvm::enumerate(position))
    if (nestDim >= 0 && nestDim == vectorDim_)
      return maskBox(op).lowers[d];
  return {};
}

/// Where, along the vector dimension, a covered mask turns false in the current row, or in one of
/// those that the main loop takes at once.
LeveledValue NestEmitter::coveredEnd(Operation *op, const Position &position) {
  Location loc = op->getLoc();
  LeveledValue condition = rowCondition(op, position, /*ofAllRows=*/phase_ == Phase::Main && rows_ > 1);
  LeveledValue end;
  for (auto [d, nestDim] : llvm::enumerate(position))
    if (nestDim >= 0 && nestDim == vectorDim_ && maskBox(op).uppers[d])
      end = {maskBox(op).uppers[d], 0};
  if (!end) {
    at(0);
    end = {k_.i64(loc, nest_.shape[vectorDim_]), 0};
  }
  if (!condition)
    return end;
  at(condition.level);
  return {b_.create<arith::SelectOp>(loc, condition.value, end.value, k_.i64(loc, 0)), condition.level};
}

NestEmitter::Mask NestEmitter::maskOf(Operation *op, const Position &position) {
  Mask mask;
  Location loc = op->getLoc();
  auto place = [&](unsigned level) { at(level); };
  bool inLanes = vectorDim_ >= 0 && llvm::is_contained(position, vectorDim_);
  auto addLanes = [&](arith::CmpIPredicate predicate, Value bound) {
    LeveledValue lane = laneIndex();
    at(0);
    if (!bound)
      bound = k_.i64(loc, nest_.shape[vectorDim_]);
    LeveledValue limit = lanesOf({b_.create<arith::TruncIOp>(loc, b_.getI32Type(), bound), 0}, b_.getI32Type());
    at(lane.level);
    mask.lanes = both(b_, loc, mask.lanes,
                      {b_.create<arith::CmpIOp>(loc, predicate, lane.value, limit.value), lane.level}, place);
  };
  if (inLanes && partial_ && phase_ == Phase::Rest)
    addLanes(arith::CmpIPredicate::slt, {});
  const MaskBox &box = maskBox(op);
  if (!box.exists || (inLanes && phase_ == Phase::Main && isCovered(op, position)))
    return mask;
  mask.uniform = rowCondition(op, position);
  for (auto [d, nestDim] : llvm::enumerate(position)) {
    if (nestDim < 0 || nestDim != vectorDim_)
      continue;
    if (box.lowers[d])
      addLanes(arith::CmpIPredicate::sge, box.lowers[d]);
    if (box.uppers[d])
      addLanes(arith::CmpIPredicate::slt, box.uppers[d]);
  }
  for (Value rest : box.remainder) {
    LeveledValue made = make(rest, position);
    LeveledValue &part = isa<VectorType>(made.value.getType()) ? mask.lanes : mask.uniform;
    part = both(b_, loc, part, made, place);
  }
  return mask;
}

/// The mask as one vector, at the current place; null when every lane is on.
Value NestEmitter::laneMask(Location loc, const Mask &mask) {
  if (!mask.uniform)
    return mask.lanes.value;
  Value uniform = lanesOf(mask.uniform, b_.getI1Type()).value;
  if (!mask.lanes)
    return uniform;
  at(std::max(mask.uniform.level, mask.lanes.level));
  return b_.create<arith::AndIOp>(loc, uniform, mask.lanes.value);
}

Value NestEmitter::stridesInBytes(Location loc, const tile::ScalarExpr &stride, int64_t bytes) {
  return k_.evaluate(loc, stride * tile::ScalarExpr(bytes));
}

const NestEmitter::AddressBox &NestEmitter::addressBox(Operation *op) {
  auto [entry, isNew] = addressBoxes_.try_emplace(op);
  AddressBox &box = entry->second;
  if (!isNew)
    return box;
  tile::StructuredAccess access = accessOf(k_, op);
  Location loc = op->getLoc();
  int64_t bytes = storageBytes(access.element);
  at(0);
  Value pointer = k_.scalars.lookup(access.address.pointer);
  box.start = k_.offsetPointer(loc, pointer, stridesInBytes(loc, *access.address.base, bytes));
  for (const auto &stride : access.address.strides)
    box.strides.push_back(stride->isZero() ? Value() : stridesInBytes(loc, *stride, bytes));
  return box;
}

/// Address of the element at `position`, in a chunk: of its first lane. Each dimension is added at
/// its own loop's level.
LeveledValue NestEmitter::addressAt(Location loc, LeveledValue start, ArrayRef<Value> strides,
                                    const Position &position) {
  LeveledValue address = start;
  SmallVector<std::pair<unsigned, size_t>> order;
  for (auto [d, nestDim] : llvm::enumerate(position))
    if (nestDim != -1 && strides[d])
      order.push_back({index(nestDim).level, d});
  llvm::sort(order);
  for (auto [level, d] : order) {
    address.level = std::max(address.level, level);
    at(address.level);
    Value offset = b_.createOrFold<arith::MulIOp>(loc, index(position[d]).value, strides[d]);
    address.value = k_.offsetPointer(loc, address.value, offset);
  }
  return address;
}

Value NestEmitter::lanePointers(Location loc, Value address, Value stride) {
  Type i64 = b_.getI64Type();
  VectorType lanes = vectorType(i64, lanes_);
  Value vector = address;
  if (!isa<VectorType>(address.getType())) {
    vector = b_.create<vector::SplatOp>(loc, lanes, b_.create<LLVM::PtrToIntOp>(loc, i64, address));
    if (stride) {
      Value steps = b_.create<arith::MulIOp>(loc, b_.create<vector::SplatOp>(loc, lanes, stride), iota(loc, i64));
      vector = b_.create<arith::AddIOp>(loc, vector, steps);
    }
  }
  Type pointers = LLVM::LLVMFixedVectorType::get(LLVM::LLVMPointerType::get(b_.getContext()), unsigned(lanes_));
  return b_.create<LLVM::IntToPtrOp>(loc, pointers, vector);
}

static Value allOn(OpBuilder &b, Location loc, int64_t lanes) {
  return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
}

/// `address` is a pointer to the first lane with `stride` bytes between lanes (null: 0), or a
/// vector of addresses.
Value NestEmitter::loadLanes(Location loc, Type element, Value address, Value stride, Value mask, Value other) {
  Type storage = storageType(element);
  VectorType type = vectorType(storage, lanes_);
  int64_t bytes = storageBytes(element);
  Value inactive = other && !element.isInteger(1) ? other : k_.zeroOf(loc, type);
  if (inactive.getType() != type)
    inactive = b_.create<arith::BitcastOp>(loc, type, inactive);
  auto straight = [&]() -> Value {
    if (!mask)
      return b_.create<LLVM::LoadOp>(loc, type, address, unsigned(bytes));
    return b_.create<LLVM::MaskedLoadOp>(loc, type, address, mask, ValueRange(inactive),
                                         b_.getI32IntegerAttr(int32_t(bytes)));
  };
  auto gather = [&]() -> Value {
    Value on = mask ? mask : allOn(b_, loc, lanes_);
    return b_.create<LLVM::masked_gather>(loc, type, lanePointers(loc, address, stride), on, ValueRange(inactive),
                                          b_.getI32IntegerAttr(int32_t(bytes)));
  };
  Value loaded;
  APInt constant;
  if (isa<VectorType>(address.getType()) || !stride) {
    loaded = gather();
  } else if (matchPattern(stride, m_ConstantInt(&constant))) {
    loaded = constant == uint64_t(bytes) ? straight() : gather();
  } else {
    // A stride known at run time only: rows of a matrix are most often dense.
    Value dense = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, stride, k_.i64(loc, bytes));
    auto branch = b_.create<scf::IfOp>(loc, TypeRange(type), dense, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(branch.thenBlock());
    b_.create<scf::YieldOp>(loc, straight());
    b_.setInsertionPointToStart(branch.elseBlock());
    b_.create<scf::YieldOp>(loc, gather());
    loaded = branch.getResult(0);
  }
  if (!element.isInteger(1))
    return isa<FloatType>(element) && storage != element
               ? b_.create<arith::BitcastOp>(loc, vectorType(element, lanes_), loaded).getResult()
               : loaded;
  Value set = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, loaded, k_.zeroOf(loc, type));
  return mask && other ? b_.create<arith::SelectOp>(loc, mask, set, other).getResult() : set;
}

void NestEmitter::storeLanes(Location loc, Type element, Value value, Value address, Value stride, Value mask) {
  int64_t bytes = storageBytes(element);
  if (element.isInteger(1))
    value = b_.create<arith::ExtUIOp>(loc, vectorType(storageType(element), lanes_), value);
  else if (isa<FloatType>(element) && storageType(element) != element)
    value = b_.create<arith::BitcastOp>(loc, vectorType(storageType(element), lanes_), value);
  auto straight = [&] {
    if (!mask && isStreaming_)
      b_.create<LLVM::StoreOp>(loc, value, address, unsigned(lanes_ * bytes), /*isVolatile=*/false,
                               /*isNonTemporal=*/true);
    else if (!mask)
      b_.create<LLVM::StoreOp>(loc, value, address, unsigned(bytes));
    else
      b_.create<LLVM::MaskedStoreOp>(loc, value, address, mask, b_.getI32IntegerAttr(int32_t(bytes)));
  };
  auto scatter = [&] {
    Value on = mask ? mask : allOn(b_, loc, lanes_);
    b_.create<LLVM::masked_scatter>(loc, value, lanePointers(loc, address, stride), on,
                                    b_.getI32IntegerAttr(int32_t(bytes)));
  };
  APInt constant;
  if (isa<VectorType>(address.getType()) || !stride)
    return scatter();
  if (matchPattern(stride, m_ConstantInt(&constant)))
    return constant == uint64_t(bytes) ? straight() : scatter();
  Value dense = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, stride, k_.i64(loc, bytes));
  auto branch = b_.create<scf::IfOp>(loc, dense, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  straight();
  b_.setInsertionPointToStart(branch.elseBlock());
  scatter();
}

/// Bytes between lanes; null when all lanes have one address.
static Value laneStride(ArrayRef<Value> strides, const Position &position, int vectorDim) {
  for (auto [d, nestDim] : llvm::enumerate(position))
    if (nestDim >= 0 && nestDim == vectorDim)
      return strides[d];
  return {};
}

NestEmitter::Lanes NestEmitter::lanesAt(Operation *access, const Position &position) {
  Location loc = access->getLoc();
  tile::StructuredAccess box = accessOf(k_, access);
  if (box.address.isAffine()) {
    const AddressBox &known = addressBox(access);
    return {addressAt(loc, {known.start, 0}, known.strides, position), laneStride(known.strides, position, vectorDim_)};
  }
  SmallVector<Value> strides(position.size());
  Value laneStep; ///< Of a run.
  at(0);
  for (auto [d, stride] : llvm::enumerate(box.address.strides))
    if (stride && !stride->isZero())
      strides[d] = stridesInBytes(loc, *stride, storageBytes(box.element));
  auto memory = cast<tile::MemoryAccess>(access);
  Position rows = survey_.rowsOf(memory, position);
  for (auto [d, nestDim] : llvm::enumerate(rows)) {
    if (nestDim < 0 || nestDim != vectorDim_ || !isRun(k_.inference, memory, d))
      continue;
    nestDim = kChunkStart;
    if (k_.inference.facts(memory.getPointer()).dims[d].contiguity % lanes_ == 0)
      laneStep = k_.i64(loc, storageBytes(box.element));
  }
  if (rows == position)
    return {make(access->getOperand(0), position), {}};
  LeveledValue start = make(access->getOperand(0), rows);
  if (k_.failed)
    return {};
  if (!isa<VectorType>(start.value.getType())) {
    Value stride = laneStep ? laneStep : laneStride(strides, position, vectorDim_);
    return {addressAt(loc, start, strides, position), stride};
  }
  for (auto [d, stride] : llvm::enumerate(strides)) {
    if (!stride || position[d] < 0)
      continue;
    LeveledValue where = index(position[d]);
    at(where.level);
    LeveledValue offset =
        lanesOf({b_.createOrFold<arith::MulIOp>(loc, where.value, stride), where.level}, b_.getI64Type());
    start.level = std::max(start.level, offset.level);
    at(start.level);
    start.value = b_.create<arith::AddIOp>(loc, start.value, offset.value);
  }
  return {start, {}};
}

LeveledValue NestEmitter::loadAt(tile::LoadOp op, const Position &position) {
  LeveledValue *shared = sharedLoad(op, position);
  if (shared && (*shared || loadTransposed(op, position)))
    return *shared;
  Location loc = op.getLoc();
  Type element = tile::elementTypeOf(op.getType());
  LeveledValue address;
  Value stride;
  if (shared) {
    address = sharedAddress(op, position);
    stride = laneStride(addressBox(op).strides, position, vectorDim_);
  } else {
    Lanes lanes = lanesAt(op, position);
    address = lanes.address;
    stride = lanes.stride;
  }
  Mask mask = maskOf(op, position);
  LeveledValue other = op.getOther() ? make(op.getOther(), position) : LeveledValue{};
  if (k_.failed)
    return {};
  unsigned level = address.level;
  for (LeveledValue part : {mask.uniform, mask.lanes, other})
    if (part)
      level = std::max(level, part.level);
  // What the main loop reads without asking its mask must not be read before the loop is entered.
  if (maskBox(op).exists && vectorDim_ >= 0 && llvm::is_contained(position, vectorDim_))
    level = std::max(level, vectorLevel_);

  bool inLanes = stride || isa<VectorType>(address.value.getType()) || mask.lanes ||
                 (other && isa<VectorType>(other.value.getType()));
  if (inLanes) {
    if (auto lanes = llvm::find(position, vectorDim_); lanes != position.end())
      warnOfLanes(k_, op, unsigned(lanes - position.begin()));
    level = std::max(level, vectorLevel_);
    Value on = laneMask(loc, mask), otherLanes = other ? lanesOf(other, element).value : Value();
    if (on && mask.uniform && mask.lanes)
      level = std::max(level, std::max(mask.uniform.level, mask.lanes.level));
    prefetchNext(op, position, stride);
    at(level);
    const bool asks = isa<VectorType>(address.value.getType()) && isClamped(op.getPointer());
    LeveledValue loaded{asks ? loadNeighbours(loc, element, address.value, on, otherLanes)
                             : loadLanes(loc, element, address.value, stride, on, otherLanes),
                        level};
    if (shared)
      *shared = loaded;
    return loaded;
  }
  at(level);
  if (!mask.uniform)
    return {k_.loadScalar(loc, element, address.value), level};
  auto branch = b_.create<scf::IfOp>(loc, TypeRange(scalarType(element)), mask.uniform.value, /*withElse=*/true);
  b_.setInsertionPointToStart(branch.thenBlock());
  b_.create<scf::YieldOp>(loc, k_.loadScalar(loc, element, address.value));
  b_.setInsertionPointToStart(branch.elseBlock());
  b_.create<scf::YieldOp>(loc, other ? other.value : k_.zeroOf(loc, scalarType(element)));
  b_.setInsertionPointAfter(branch);
  return {branch.getResult(0), level};
}

void NestEmitter::storeAt(tile::StoreOp op, LeveledValue value) {
  Location loc = op.getLoc();
  Type element = tile::elementTypeOf(op.getValue().getType());
  Position position = identity();
  unsigned inner = places_.size() - 1;
  auto [address, stride] = lanesAt(op, position);
  Mask mask = maskOf(op, position);
  if (k_.failed)
    return;
  if (vectorDim_ >= 0) {
    warnOfLanes(k_, op, unsigned(vectorDim_));
    Value lanes = lanesOf(value, element).value, on = laneMask(loc, mask);
    at(inner);
    return storeLanes(loc, element, lanes, address.value, stride, on);
  }
  at(inner);
  if (mask.uniform) {
    auto branch = b_.create<scf::IfOp>(loc, mask.uniform.value, /*withElse=*/false);
    b_.setInsertionPointToStart(branch.thenBlock());
  }
  k_.storeScalar(loc, element, value.value, address.value);
}

/// Up to where the main loop stores past the caches: all the way when the launch asks for it and
/// every store of the row starts where a register may be streamed to. Null when this nest has no
/// such stores.
Value NestEmitter::streamedEnd(Location loc, const MainRange &main) {
  // Stores inside a loop along the reduced axis start at a row of that loop, which is not there
  // yet.
  if (!k_.streams || !nest_.streams || (axis_ >= 0 && axis_ != vectorDim_))
    return {};
  Position row = identity();
  row[vectorDim_] = -1;
  unsigned level = vectorLevel_ - 1;
  Value misaligned;
  for (const Root &root : nest_.roots) {
    if (root.kind != Root::Store)
      continue;
    auto store = cast<tile::StoreOp>(root.op);
    int64_t bytes = storageBytes(tile::elementTypeOf(store.getValue().getType()));
    if (lanes_ * bytes < 16)
      return {};
    const AddressBox &box = addressBox(store);
    Value stride = laneStride(box.strides, identity(), vectorDim_);
    APInt constant;
    if (!stride || !matchPattern(stride, m_ConstantInt(&constant)) || constant != uint64_t(bytes) ||
        (maskBox(store).exists && !isCovered(store, identity())))
      return {};
    LeveledValue start = addressAt(loc, {box.start, 0}, box.strides, row);
    at(level);
    Value beyond = b_.create<arith::AndIOp>(loc, b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), start.value),
                                            k_.i64(loc, lanes_ * bytes - 1));
    misaligned = misaligned ? b_.create<arith::OrIOp>(loc, misaligned, beyond).getResult() : beyond;
    if (rows_ > 1 && box.strides[rowDim_]) { // Further rows start at multiples, too.
      Value between = b_.create<arith::AndIOp>(loc, box.strides[rowDim_], k_.i64(loc, lanes_ * bytes - 1));
      misaligned = b_.create<arith::OrIOp>(loc, misaligned, between);
    }
  }
  if (!misaligned)
    return {};
  k_.hasStreamed = true;
  Value aligned = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, misaligned, k_.i64(loc, 0));
  Value start = main.start ? main.start : k_.i64(loc, 0);
  return b_.create<arith::SelectOp>(loc, b_.create<arith::AndIOp>(loc, aligned, k_.streams), main.end, start);
}

static SmallVector<Value> constantStrides(KernelEmitter &k, Location loc, const Buffer &buffer) {
  SmallVector<Value> strides;
  for (int64_t stride : buffer.strides)
    strides.push_back(k.i64(loc, stride * storageBytes(buffer.element)));
  return strides;
}

LeveledValue NestEmitter::readBuffer(Location loc, const Buffer &buffer, const Position &position) {
  at(0);
  SmallVector<Value> strides = constantStrides(k_, loc, buffer);
  LeveledValue address = addressAt(loc, {k_.bufferPointer(loc, buffer), 0}, strides, position);
  Value stride = laneStride(strides, position, vectorDim_);
  if (!stride) {
    at(address.level);
    return {k_.loadScalar(loc, buffer.element, address.value), address.level};
  }
  // Lanes beyond the extent read padding, or the next row; only a strided read could leave the
  // arena.
  Value mask;
  if (partial_ && phase_ == Phase::Rest && buffer.strides.back() != 1) {
    LeveledValue lane = laneIndex();
    at(lane.level);
    Value extent = b_.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(cast<VectorType>(lane.value.getType()), int32_t(nest_.shape[vectorDim_])));
    mask = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane.value, extent);
  }
  at(address.level);
  return {loadLanes(loc, buffer.element, address.value, stride, mask, {}), address.level};
}

/// Converts to the element type of a dot's packed operand.
static Value convertElements(OpBuilder &b, Location loc, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element || isa<tile::PtrType>(element))
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = VectorType::get(vector.getShape(), element);
  bool widens = from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return widens ? b.create<arith::ExtFOp>(loc, type, value).getResult() : b.create<arith::TruncFOp>(loc, type, value);
  return widens ? b.create<arith::ExtSIOp>(loc, type, value).getResult() : b.create<arith::TruncIOp>(loc, type, value);
}

void NestEmitter::writeBuffer(Location loc, const Buffer &buffer, const Position &position, Value value) {
  unsigned inner = places_.size() - 1;
  at(0);
  SmallVector<Value> strides = constantStrides(k_, loc, buffer);
  LeveledValue address = addressAt(loc, {k_.bufferPointer(loc, buffer), 0}, strides, position);
  Value stride = laneStride(strides, position, vectorDim_), mask;
  if (stride && partial_ && phase_ == Phase::Rest) {
    LeveledValue lane = laneIndex();
    at(inner);
    Value extent = b_.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(cast<VectorType>(lane.value.getType()), int32_t(nest_.shape[vectorDim_])));
    mask = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lane.value, extent);
  }
  at(inner);
  value = convertElements(b_, loc, value, buffer.element);
  if (stride)
    return storeLanes(loc, buffer.element, value, address.value, stride, mask);
  k_.storeScalar(loc, buffer.element, value, address.value);
}

} // namespace tilewise::cpu
