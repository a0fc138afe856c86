// A chunk's values by demand: each op of the source is asked for the elements at a position, and
// asks its operands in turn.
#include "target/cpu/nests/NestEmitter.h"

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

void NestEmitter::forgetChunk() {
  auto inChunk = [&](const auto &entry) { return entry.second.level >= vectorLevel_; };
  std::erase_if(made_, inChunk);
  sharedLoads_.clear();
  sharedAddresses_.clear();
  laneIndex_ = {};
}

NestEmitter::Key NestEmitter::keyOf(Value value, const Position &position) const {
  bool isOfRow = rowDim_ >= 0 && llvm::is_contained(position, rowDim_);
  return {value.getAsOpaquePointer(), position, isOfRow ? row_ : 0};
}

Value NestEmitter::iota(Location loc, Type element) {
  SmallVector<Attribute> lanes;
  for (int64_t i = 0; i < lanes_; ++i)
    lanes.push_back(b_.getIntegerAttr(element, i));
  return b_.create<arith::ConstantOp>(loc, DenseElementsAttr::get(vectorType(element, lanes_), lanes));
}

LeveledValue NestEmitter::lanesOf(LeveledValue scalar, Type element) {
  if (isa<VectorType>(scalar.value.getType()))
    return scalar;
  Value &vector = broadcasts_[scalar.value];
  if (!vector) {
    at(scalar.level);
    Value value = scalar.value;
    Location loc = value.getLoc();
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      value = b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), value);
    vector = b_.create<vector::SplatOp>(loc, vectorType(element, lanes_), value);
  }
  return {vector, scalar.level};
}

LeveledValue NestEmitter::laneIndex() {
  if (!laneIndex_) {
    Location loc = nest_.roots.front().loc;
    at(vectorLevel_);
    Value start = b_.create<arith::TruncIOp>(loc, b_.getI32Type(), indices_[vectorDim_]);
    Value lanes = b_.create<vector::SplatOp>(loc, vectorType(b_.getI32Type(), lanes_), start);
    laneIndex_ = {b_.create<arith::AddIOp>(loc, lanes, iota(loc, b_.getI32Type())), vectorLevel_};
  }
  return laneIndex_;
}

LeveledValue NestEmitter::make(Value value, Position position) {
  if (!isa<RankedTensorType>(value.getType()))
    return {k_.scalars.lookup(value), 0};
  for (auto [d, extent] : llvm::enumerate(tile::shapeOf(value.getType())))
    if (extent == 1)
      position[d] = -1;
  Key key = keyOf(value, position);
  if (auto found = made_.find(key); found != made_.end())
    return found->second;
  LeveledValue made = makeNew(value, position);
  if (made)
    made_[key] = made;
  return made;
}

/// A block that a loop carries as the scalar of its first element: that scalar, and the strides of
/// the inference.
LeveledValue NestEmitter::makeCarried(Value value, const Position &position) {
  Location loc = value.getLoc();
  const tile::AffineForm &form = k_.inference.carried(value)->init;
  Type element = tile::elementTypeOf(value.getType());
  auto pointer = dyn_cast<tile::PtrType>(element);
  int64_t bytes = pointer ? storageBytes(pointer.getPointee()) : 1;
  at(0);
  // In 64 bits, modulo 2^64 for addresses and cut to the block's width for integers: exact in both
  // cases.
  Value first = k_.scalars.lookup(value);
  if (pointer)
    first = b_.create<LLVM::PtrToIntOp>(loc, b_.getI64Type(), first);
  else if (element.getIntOrFloatBitWidth() < 64)
    first = b_.create<arith::ExtSIOp>(loc, b_.getI64Type(), first);
  LeveledValue sum{first, 0};
  for (auto [d, nestDim] : llvm::enumerate(position)) {
    if (nestDim == -1 || form.strides[d]->isZero())
      continue;
    at(0);
    LeveledValue stride{stridesInBytes(loc, *form.strides[d], bytes), 0}, step = index(nestDim);
    if (nestDim == vectorDim_) {
      LeveledValue lane = laneIndex();
      at(lane.level);
      step = {b_.create<arith::ExtSIOp>(loc, vectorType(b_.getI64Type(), lanes_), lane.value), lane.level};
      stride = lanesOf(stride, b_.getI64Type());
    }
    unsigned level = std::max(sum.level, step.level);
    if (nestDim == vectorDim_)
      sum = lanesOf(sum, b_.getI64Type());
    else if (isa<VectorType>(sum.value.getType())) {
      at(step.level);
      step = lanesOf({b_.create<arith::MulIOp>(loc, step.value, stride.value), step.level}, b_.getI64Type());
      at(level);
      sum = {b_.create<arith::AddIOp>(loc, sum.value, step.value), level};
      continue;
    }
    at(level);
    sum = {b_.create<arith::AddIOp>(loc, sum.value, b_.create<arith::MulIOp>(loc, step.value, stride.value)), level};
  }
  at(sum.level);
  bool lanes = isa<VectorType>(sum.value.getType());
  if (pointer && !lanes)
    sum.value = b_.create<LLVM::IntToPtrOp>(loc, scalarType(element), sum.value);
  else if (!pointer && element.getIntOrFloatBitWidth() < 64)
    sum.value = b_.create<arith::TruncIOp>(loc, lanes ? Type(vectorType(element, lanes_)) : element, sum.value);
  return sum;
}

/// A row divided by one number is the row times its reciprocal, within 1.5 ulp and in half a cycle
/// per register where AVX-512's division takes 16; as long as the reciprocal is neither infinite
/// nor denormal.
LeveledValue NestEmitter::divideByUniform(Location loc, LeveledValue dividend, LeveledValue divisor) {
  at(divisor.level);
  Type f32 = b_.getF32Type();
  auto number = [&](double value) { return b_.create<arith::ConstantOp>(loc, b_.getFloatAttr(f32, value)); };
  auto is = [&](arith::CmpFPredicate predicate, Value x, double y) -> Value {
    return b_.create<arith::CmpFOp>(loc, predicate, x, number(y));
  };
  Value size = b_.create<math::AbsFOp>(loc, divisor.value);
  Value isModerate = b_.create<arith::AndIOp>(loc, is(arith::CmpFPredicate::OGE, size, 0x1p-126),
                                              is(arith::CmpFPredicate::OLE, size, 0x1p+126));
  LeveledValue reciprocal = lanesOf({b_.create<arith::DivFOp>(loc, number(1), divisor.value), divisor.level}, f32),
               divisors = lanesOf(divisor, f32);
  unsigned level = std::max(dividend.level, vectorLevel_);
  at(level);
  auto branch = b_.create<scf::IfOp>(loc, TypeRange(dividend.value.getType()), isModerate, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  b_.create<scf::YieldOp>(loc, b_.create<arith::MulFOp>(loc, dividend.value, reciprocal.value).getResult());
  b_.setInsertionPointToStart(branch.elseBlock());
  b_.create<scf::YieldOp>(loc, b_.create<arith::DivFOp>(loc, dividend.value, divisors.value).getResult());
  return {branch.getResult(0), level};
}

LeveledValue NestEmitter::makeNew(Value value, const Position &position) {
  if (auto kept = protected_.find(value); kept != protected_.end())
    return readBuffer(value.getLoc(), kept->second, position);
  if (auto buffer = k_.buffers.find(value); buffer != k_.buffers.end())
    return readBuffer(value.getLoc(), buffer->second, position);
  if (k_.inference.carried(value) && k_.scalars.contains(value))
    return makeCarried(value, position);
  Operation *op = value.getDefiningOp();
  if (!op) {
    k_.fail(value.getParentBlock()->getParentOp(), "a block argument was not placed");
    return {};
  }
  Location loc = op->getLoc();
  if (auto inner = sourcePosition(op, position))
    return make(op->getOperand(0), *inner);
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return {k_.scalars.lookup(splat.getSource()), 0};
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat) {
      k_.refuse(op, "of different elements");
      return {};
    }
    at(0);
    return {b_.create<arith::ConstantOp>(loc, cast<TypedAttr>(splat.getSplatValue<Attribute>())), 0};
  }
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    LeveledValue lane;
    if (position[0] == vectorDim_ && vectorDim_ >= 0) {
      lane = laneIndex();
    } else {
      at(0);
      LeveledValue at0 = position[0] == -1 ? LeveledValue{k_.i64(loc, 0), 0} : index(position[0]);
      at(at0.level);
      lane = {b_.create<arith::TruncIOp>(loc, b_.getI32Type(), at0.value), at0.level};
    }
    if (range.getStart() == 0)
      return lane;
    at(lane.level);
    Attribute start = b_.getI32IntegerAttr(int32_t(range.getStart()));
    if (auto vector = dyn_cast<VectorType>(lane.value.getType()))
      start = DenseElementsAttr::get(vector, start);
    return {b_.create<arith::AddIOp>(loc, lane.value, b_.create<arith::ConstantOp>(loc, cast<TypedAttr>(start))),
            lane.level};
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return loadAt(load, position);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return makeGathered(gather, position);
  if (!tile::isElementwise(op)) {
    k_.refuse(op);
    return {};
  }
  if (fillsBesideMask(op) && phase_ == Phase::Main && vectorDim_ >= 0 && llvm::is_contained(position, vectorDim_) &&
      isCovered(op, position)) {
    LeveledValue inside = make(op->getOperand(1), position);
    if (!inside)
      return {};
    // Not for the rest loop, even if it is the same in all lanes.
    LeveledValue lanes = lanesOf(inside, tile::elementTypeOf(op->getResult(0).getType()));
    return {lanes.value, std::max(lanes.level, vectorLevel_)};
  }

  SmallVector<LeveledValue> operands;
  bool lanes = false;
  unsigned level = 0;
  for (Value operand : op->getOperands()) {
    LeveledValue made = make(operand, position);
    if (!made)
      return {};
    operands.push_back(made);
    lanes |= isa<VectorType>(made.value.getType());
    level = std::max(level, made.level);
  }
  if (isa<arith::DivFOp>(op) && !op->hasAttr(kExactAttr) && lanes && !isa<VectorType>(operands[1].value.getType()) &&
      operands[1].value.getType().isF32())
    return divideByUniform(loc, operands[0], operands[1]);
  SmallVector<Value> values;
  for (auto [made, operand] : llvm::zip(operands, op->getOperands()))
    values.push_back(lanes ? lanesOf(made, tile::elementTypeOf(operand.getType())).value : made.value);
  at(level);
  return {k_.applyElementwise(op, values), level};
}

} // namespace tilewise::cpu
