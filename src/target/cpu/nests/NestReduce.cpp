// Reductions inside a nest: accumulators in registers, identities where the combining op has one,
// and the last combine across lanes.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

SmallVector<tile::ReduceOp> NestEmitter::reductions() const {
  SmallVector<tile::ReduceOp> result;
  for (const Root &root : nest_.roots)
    if (root.kind == Root::Reduce)
      result.push_back(cast<tile::ReduceOp>(root.op));
  return result;
}

/// e with combine(e, x) = x for every x, bit for bit; nothing when the region is not one known op.
static TypedAttr identityOf(tile::ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getSources().size() != 1 || body.getOperations().size() != 2)
    return {};
  Operation *op = &body.front();
  if (op->getNumOperands() != 2 || !llvm::is_contained(op->getOperands(), body.getArgument(0)) ||
      !llvm::is_contained(op->getOperands(), body.getArgument(1)) ||
      body.getTerminator()->getOperand(0) != op->getResult(0))
    return {};
  Builder b(op->getContext());
  Type type = op->getResult(0).getType();
  if (auto floats = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floats.getFloatSemantics();
    using F = llvm::APFloat;
    return TypeSwitch<Operation *, TypedAttr>(op)
        .Case<arith::AddFOp>([&](auto) { return b.getFloatAttr(type, F::getZero(semantics, /*Negative=*/true)); })
        .Case<arith::MulFOp>([&](auto) { return b.getFloatAttr(type, F(semantics, 1)); })
        .Case<arith::MaximumFOp>([&](auto) { return b.getFloatAttr(type, F::getInf(semantics, /*Negative=*/true)); })
        .Case<arith::MinimumFOp>([&](auto) { return b.getFloatAttr(type, F::getInf(semantics)); })
        .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return b.getFloatAttr(type, F::getNaN(semantics)); })
        .Default(TypedAttr());
  }
  unsigned width = type.getIntOrFloatBitWidth();
  return TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return b.getIntegerAttr(type, APInt::getZero(width)); })
      .Case<arith::MulIOp>([&](auto) { return b.getIntegerAttr(type, APInt(width, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return b.getIntegerAttr(type, APInt::getAllOnes(width)); })
      .Case<arith::MaxSIOp>([&](auto) { return b.getIntegerAttr(type, APInt::getSignedMinValue(width)); })
      .Case<arith::MinSIOp>([&](auto) { return b.getIntegerAttr(type, APInt::getSignedMaxValue(width)); })
      .Default(TypedAttr());
}

bool NestEmitter::haveIdentities() {
  return llvm::all_of(reductions(), [](tile::ReduceOp reduce) { return bool(identityOf(reduce)); });
}

SmallVector<Value> NestEmitter::initialAccumulators(bool lanes) {
  SmallVector<Value> initial;
  bool identities = haveIdentities();
  for (tile::ReduceOp reduce : reductions())
    for (Value source : reduce.getSources()) {
      Type element = tile::elementTypeOf(source.getType());
      Type type = lanes ? Type(vectorType(element, lanes_)) : scalarType(element);
      if (!identities) { // The first element takes its place; see emitBody.
        initial.push_back(k_.zeroOf(reduce.getLoc(), type));
        continue;
      }
      TypedAttr identity = identityOf(reduce);
      if (lanes)
        identity = DenseElementsAttr::get(cast<ShapedType>(type), Attribute(identity));
      initial.push_back(b_.create<arith::ConstantOp>(reduce.getLoc(), identity));
    }
  return initial;
}

SmallVector<Value> NestEmitter::combineAll(ArrayRef<Value> left, ArrayRef<Value> right) {
  SmallVector<Value> results;
  for (tile::ReduceOp reduce : reductions()) {
    size_t count = reduce.getSources().size(), from = results.size();
    llvm::append_range(results, k_.applyCombine(reduce, left.slice(from, count), right.slice(from, count)));
  }
  return results;
}

/// Half the lanes against the other half, until one is left. The last halves stay in registers of
/// 16 bytes, which the instructions are for, if the combining op does not mind being asked about
/// elements that are not its own.
static SmallVector<Value> acrossLanes(KernelEmitter &k, tile::ReduceOp reduce, SmallVector<Value> vectors,
                                      int64_t lanes) {
  OpBuilder &b = k.b;
  Location loc = reduce.getLoc();
  int64_t least = 1;
  if (identityOf(reduce))
    least = std::max<int64_t>(1, 16 / storageBytes(tile::elementTypeOf(reduce.getSources()[0].getType())));
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    const int64_t width = std::min(std::max(half, least), lanes);
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, width)), high;
    for (int64_t lane : low)
      high.push_back(half + lane % half);
    SmallVector<Value> left, right;
    for (Value vector : vectors) {
      const bool isWhole = cast<VectorType>(vector.getType()).getNumElements() == width;
      left.push_back(isWhole ? vector : b.create<vector::ShuffleOp>(loc, vector, vector, low));
      right.push_back(b.create<vector::ShuffleOp>(loc, vector, vector, high));
    }
    vectors = k.applyCombine(reduce, left, right);
  }
  for (auto [vector, source] : llvm::zip(vectors, reduce.getSources())) {
    vector = b.create<vector::ExtractOp>(loc, vector, int64_t(0));
    Type element = tile::elementTypeOf(source.getType());
    if (isa<tile::PtrType>(element))
      vector = b.create<LLVM::IntToPtrOp>(loc, scalarType(element), vector);
  }
  return vectors;
}

void NestEmitter::finishReductions(ArrayRef<Value> accumulators) {
  if (k_.failed)
    return;
  for (tile::ReduceOp reduce : reductions()) {
    size_t count = reduce.getSources().size();
    SmallVector<Value> results(accumulators.take_front(count));
    accumulators = accumulators.drop_front(count);
    if (vectorDim_ >= 0 && axis_ == vectorDim_)
      results = acrossLanes(k_, reduce, results, lanes_);
    for (auto [result, value] : llvm::zip(reduce.getResults(), results)) {
      if (!isa<RankedTensorType>(result.getType())) {
        k_.scalars.map(result, value);
        continue;
      }
      if (!k_.buffers.count(result))
        k_.buffers[result] = k_.allocate(tile::shapeOf(result.getType()), tile::elementTypeOf(result.getType()));
      Position position = identity();
      position.erase(position.begin() + axis_);
      // Written where the builder stands, after the loop that made it.
      Place &place = places_.back();
      Operation *anchor = place.before;
      OpBuilder::InsertPoint here = b_.saveInsertionPoint();
      place.before = here.getPoint() == here.getBlock()->end() ? nullptr : &*here.getPoint();
      writeBuffer(reduce.getLoc(), k_.buffers[result], position, value);
      place.before = anchor;
      b_.restoreInsertionPoint(here);
    }
  }
}

} // namespace tilewise::cpu
