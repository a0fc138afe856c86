// tile.scan -> lines of scratch that are replaced by their running values, a vector at a time.
//
// Where the lines lie next to each other, a vector holds one element of each, and the running
// values are a vector, too. A line of neighbours is cut into vectors instead. Each is scanned by
// itself in log2(lanes) steps, in which every lane is combined with what lies 1, 2, 4, .. lanes
// before it:
//
//     a    b     c      d          and all lanes then with the sum of all vectors before.
//     a    ab    bc     cd         That sum, in every lane, is the one thing that a vector waits for: one combination,
//     a    ab    abc    abcd       4 cycles for 16 elements of a sum of fp32, instead of 4 for each.
//
// That needs the function to be associative, as any engine on many lanes does; its operands stay in
// order.
#include "target/cpu/emit/EmitPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

struct ScanEmitter {
  KernelEmitter &k;
  tile::ScanOp op;
  SmallVector<Buffer> buffers; ///< One per source, row-major; scanned in place.
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  int64_t axis = op.getAxis();
  bool reverse = op.getReverse();
  int64_t lanes = 1;
  bool isAlong = false; ///< The lanes are neighbours on one line.

  ArrayRef<int64_t> shape() { return buffers.front().shape; }

  void chooseLanes() {
    int64_t most = 64;
    for (const Buffer &buffer : buffers) {
      if (isa<tile::PtrType>(buffer.element))
        return;
      most = std::min(most, k.machine.lanes(unsigned(storageBytes(buffer.element)) * 8));
    }
    const int64_t last = int64_t(shape().size()) - 1;
    lanes = largestDivisor(shape()[last], most);
    isAlong = axis == last;
    if (isAlong && lanes < 4) // Fewer lanes have as many steps as elements.
      lanes = 1;
  }

  Value load(size_t i, Value pointer) {
    Type element = buffers[i].element;
    if (lanes == 1)
      return k.loadScalar(loc, element, pointer);
    VectorType type = vectorType(storageType(element), lanes);
    Value loaded = b.create<LLVM::LoadOp>(loc, type, pointer, unsigned(storageBytes(element)));
    if (element.isInteger(1))
      return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, loaded, k.zeroOf(loc, type));
    return storageType(element) == element ? loaded
                                           : b.create<arith::BitcastOp>(loc, vectorType(element, lanes), loaded);
  }

  void store(size_t i, Value value, Value pointer) {
    Type element = buffers[i].element, storage = storageType(element);
    if (lanes == 1)
      return k.storeScalar(loc, element, value, pointer);
    if (element.isInteger(1))
      value = b.create<arith::ExtUIOp>(loc, vectorType(storage, lanes), value);
    else if (storage != element)
      value = b.create<arith::BitcastOp>(loc, vectorType(storage, lanes), value);
    b.create<LLVM::StoreOp>(loc, value, pointer, unsigned(storageBytes(element)));
  }

  SmallVector<Value> combine(ArrayRef<Value> left, ArrayRef<Value> right) { return k.applyCombine(op, left, right); }

  Value shuffled(Value vector, llvm::function_ref<int64_t(int64_t)> from) {
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane)
      order.push_back(from(lane));
    return b.create<vector::ShuffleOp>(loc, vector, vector, order);
  }

  /// The running values inside of each vector.
  SmallVector<Value> scanned(SmallVector<Value> vectors) {
    for (int64_t step = 1; step < lanes; step *= 2) {
      auto before = [&](int64_t lane) { return reverse ? lane + step : lane - step; };
      auto isThere = [&](int64_t lane) { return before(lane) >= 0 && before(lane) < lanes; };
      SmallVector<bool> mask;
      for (int64_t lane = 0; lane < lanes; ++lane)
        mask.push_back(isThere(lane));
      Value hasOne = b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), ArrayRef<bool>(mask)));
      SmallVector<Value> left;
      for (Value vector : vectors)
        left.push_back(shuffled(vector, [&](int64_t lane) { return isThere(lane) ? before(lane) : lane; }));
      SmallVector<Value> combined = combine(left, vectors);
      if (k.failed)
        return vectors;
      for (auto [vector, with] : llvm::zip(vectors, combined))
        vector = b.create<arith::SelectOp>(loc, hasOne, with, vector);
    }
    return vectors;
  }

  SmallVector<Value> totals(ArrayRef<Value> vectors) {
    SmallVector<Value> result;
    for (Value vector : vectors)
      result.push_back(shuffled(vector, [&](int64_t) { return reverse ? 0 : lanes - 1; }));
    return result;
  }

  SmallVector<Value> starts = {}; ///< Of the line that is scanned, or of the first of several.

  void move(SmallVectorImpl<Value> &pointers, int64_t d, Value index) {
    for (auto [pointer, buffer] : llvm::zip(pointers, buffers))
      pointer = k.offsetPointer(
          loc, pointer,
          b.create<arith::MulIOp>(loc, index, k.i64(loc, buffer.strides[d] * storageBytes(buffer.element))));
  }

  /// Where the elements, or lanes, from number `index` on lie, counted from where the scan begins.
  SmallVector<Value> at(Value index) {
    if (reverse)
      index = b.create<arith::SubIOp>(loc, k.i64(loc, shape()[axis] - (isAlong ? lanes : 1)), index);
    SmallVector<Value> pointers(starts);
    move(pointers, axis, index);
    return pointers;
  }

  SmallVector<Value> loadAll(ArrayRef<Value> pointers) {
    SmallVector<Value> values;
    for (auto [i, pointer] : llvm::enumerate(pointers))
      values.push_back(load(i, pointer));
    return isAlong && lanes > 1 ? scanned(std::move(values)) : values;
  }

  void storeAll(ArrayRef<Value> values, ArrayRef<Value> pointers) {
    for (auto [i, value] : llvm::enumerate(values))
      store(i, value, pointers[i]);
  }

  void scanLine() {
    const bool inLanes = isAlong && lanes > 1;
    SmallVector<Value> first = at(k.i64(loc, 0)), running = loadAll(first);
    if (k.failed)
      return;
    if (inLanes) {
      storeAll(running, first);
      running = totals(running);
    }
    const int64_t step = isAlong ? lanes : 1;
    if (step == shape()[axis])
      return;
    auto loop = b.create<scf::ForOp>(loc, k.i64(loc, step), k.i64(loc, shape()[axis]), k.i64(loc, step), running,
                                     [](OpBuilder &, Location, Value, ValueRange) {});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    SmallVector<Value> before(loop.getRegionIterArgs()), pointers = at(loop.getInductionVar()),
                                                         values = loadAll(pointers);
    if (k.failed)
      return;
    SmallVector<Value> next = combine(before, values);
    if (k.failed)
      return;
    storeAll(next, pointers);
    b.create<scf::YieldOp>(loc, inLanes ? combine(before, totals(values)) : next);
  }

  void emit() {
    chooseLanes();
    for (const Buffer &buffer : buffers)
      starts.push_back(k.bufferPointer(loc, buffer));
    OpBuilder::InsertionGuard guard(b);
    const int64_t last = int64_t(shape().size()) - 1;
    for (int64_t d = 0; d <= last; ++d) {
      const int64_t step = d == last ? lanes : 1;
      if (d == axis || shape()[d] == step)
        continue;
      auto loop = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, shape()[d]), k.i64(loc, step));
      b.setInsertionPointToStart(loop.getBody());
      move(starts, d, loop.getInductionVar());
    }
    scanLine();
  }
};

} // namespace

void emitScan(KernelEmitter &k, tile::ScanOp op, ArrayRef<Buffer> copies) {
  ScanEmitter{k, op, SmallVector<Buffer>(copies)}.emit();
}

} // namespace tilewise::cpu
