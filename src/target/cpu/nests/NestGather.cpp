// tile.gather in a nest: elements of a block in scratch by their indices, lane by lane or as one
// vector.
//
// The source lies in scratch; an index outside its axis reads nothing and gives 0. Lanes whose
// sources are neighbours are read as one vector: those that share their index, and those that are
// exchanged with lanes at a fixed distance, as in a sorting network:
//
//     at ^ 1     16 lanes from where the chunk is, neighbours swapped            at ^ 32     16 lanes, 32 before or behind
#include "passes/Exchanges.h"
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::cpu {

/// sum + where * bytes, in 64 bits; lanes if either is.
LeveledValue NestEmitter::addTerm(Location loc, LeveledValue sum, LeveledValue where, int64_t bytes) {
  at(0);
  LeveledValue scale{k_.i64(loc, bytes), 0};
  if (isa<VectorType>(where.value.getType()) || isa<VectorType>(sum.value.getType())) {
    where = lanesOf(where, b_.getI64Type());
    scale = lanesOf(scale, b_.getI64Type());
    sum = lanesOf(sum, b_.getI64Type());
  }
  unsigned level = std::max(where.level, sum.level);
  at(level);
  return {b_.create<arith::AddIOp>(loc, sum.value, b_.create<arith::MulIOp>(loc, where.value, scale.value)), level};
}

/// The index along the axis as 64 bits; of an exchange along the lanes, where their vector starts.
LeveledValue NestEmitter::gatheredIndex(tile::GatherOp op, const Position &position, std::optional<int64_t> exchange) {
  Location loc = op.getLoc();
  const int8_t along = position[op.getAxis()];
  LeveledValue which = exchange ? index(along) : make(op.getIndices(), position);
  if (!which)
    return {};
  at(which.level);
  if (exchange) {
    const int64_t far = along == vectorDim_ ? *exchange & -lanes_ : *exchange;
    which.value = b_.create<arith::XOrIOp>(loc, which.value, k_.i64(loc, far));
  }
  Type i64 = b_.getI64Type();
  if (getElementTypeOrSelf(which.value.getType()).getIntOrFloatBitWidth() < 64)
    which.value = b_.create<arith::ExtSIOp>(
        loc, isa<VectorType>(which.value.getType()) ? Type(vectorType(i64, lanes_)) : i64, which.value);
  return which;
}

/// One element, or 0 where `inside` is false; null: it is true.
LeveledValue NestEmitter::loadInside(Location loc, Type element, LeveledValue address, LeveledValue inside) {
  unsigned level = std::max(address.level, inside.level);
  at(level);
  auto load = [&]() -> Value {
    Type pointer = LLVM::LLVMPointerType::get(b_.getContext());
    return k_.loadScalar(loc, element, b_.create<LLVM::IntToPtrOp>(loc, pointer, address.value));
  };
  if (!inside)
    return {load(), level};
  auto branch = b_.create<scf::IfOp>(loc, TypeRange(scalarType(element)), inside.value, /*withElse=*/true);
  b_.setInsertionPointToStart(branch.thenBlock());
  b_.create<scf::YieldOp>(loc, load());
  b_.setInsertionPointToStart(branch.elseBlock());
  b_.create<scf::YieldOp>(loc, k_.zeroOf(loc, scalarType(element)));
  b_.setInsertionPointAfter(branch);
  return {branch.getResult(0), level};
}

LeveledValue NestEmitter::makeGathered(tile::GatherOp op, const Position &position) {
  Location loc = op.getLoc();
  const Buffer &buffer = k_.buffers[op.getSource()];
  Type element = tile::elementTypeOf(op.getType()), i64 = b_.getI64Type();
  const int64_t bytes = storageBytes(buffer.element), axis = op.getAxis();
  const bool isAlongLanes = vectorDim_ >= 0 && position[axis] == vectorDim_;
  std::optional<int64_t> exchange = tile::exchangeOf(op, k_.inference);
  if (position[axis] < 0 || (isAlongLanes && (buffer.strides[axis] != 1 || buffer.shape[axis] % lanes_ != 0)))
    exchange.reset();
  LeveledValue which = gatheredIndex(op, position, exchange);
  if (!which)
    return {};
  const bool lanes = isa<VectorType>(which.value.getType());
  at(0);
  LeveledValue address{b_.create<LLVM::PtrToIntOp>(loc, i64, k_.bufferPointer(loc, buffer)), 0};
  int64_t laneStride = exchange && isAlongLanes ? 1 : 0;
  for (auto [d, nestDim] : llvm::enumerate(position)) {
    if (int64_t(d) == axis || nestDim == -1)
      continue;
    LeveledValue where = index(nestDim);
    if (nestDim == vectorDim_ && !lanes) {
      laneStride = buffer.strides[d];
    } else if (nestDim == vectorDim_) {
      LeveledValue lane = laneIndex();
      at(lane.level);
      where = {b_.create<arith::ExtSIOp>(loc, vectorType(i64, lanes_), lane.value), lane.level};
    }
    address = addTerm(loc, address, where, buffer.strides[d] * bytes);
  }
  LeveledValue inside;
  if (!exchange) {
    // Out of range as an unsigned number covers negative indices, too.
    at(0);
    LeveledValue extent{k_.i64(loc, buffer.shape[axis]), 0};
    if (lanes)
      extent = lanesOf(extent, i64);
    at(which.level);
    inside = {b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, which.value, extent.value), which.level};
  }
  address = addTerm(loc, address, which, buffer.strides[axis] * bytes);
  if (!lanes && laneStride == 0)
    return loadInside(loc, element, address, inside);
  Value mask = inside ? lanesOf(inside, b_.getI1Type()).value : Value(), stride;
  const unsigned level = std::max({address.level, inside.level, vectorLevel_});
  at(level);
  if (!lanes) {
    address.value = b_.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b_.getContext()), address.value);
    stride = k_.i64(loc, laneStride * bytes);
  }
  Value loaded = loadLanes(loc, element, address.value, stride, mask, {});
  if (const int64_t near = exchange && isAlongLanes ? *exchange & (lanes_ - 1) : 0) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes_; ++lane)
      order.push_back(lane ^ near);
    loaded = b_.create<vector::ShuffleOp>(loc, loaded, loaded, order);
  }
  return {loaded, level};
}

} // namespace tilewise::cpu
