// Reductions inside a nest: accumulators in registers, identities where the combining op has one,
// and the last combine across lanes.
#include "target/cpu/nests/NestEmitter.h"
#include "target/cpu/plan/ReduceIdentity.h"

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

bool NestEmitter::haveIdentities() { return cpu::haveIdentities(reductions()); }

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
