// tile.histogram -> counts in scratch, one element after the other.
//
// What is outside of the bins, or masked off, counts in one bin more, which is found out by vectors
// before: a branch for each element would cost as much as the count. Neighbours count in tables of
// their own, as long as these are few beside the elements: they are often equal, and a count would
// wait for the one before it to be written.
#include "target/cpu/emit/EmitPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

Buffer emitHistogram(KernelEmitter &k, tile::HistogramOp op, const Buffer &which, const std::optional<Buffer> &mask) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  Type element = tile::elementTypeOf(op.getType());
  const int64_t count = tile::shapeOf(op.getType())[0], bytes = storageBytes(element);
  const int64_t elements = cast<RankedTensorType>(op.getSource().getType()).getNumElements();
  const int64_t tables = count * 4 <= elements ? largestDivisor(elements, 4) : 1;
  const int64_t lanes = largestDivisor(count, k.machine.lanes(32));
  Buffer bins = k.allocate({tables, count}, element, /*rowPadding=*/lanes), result = bins;
  result.shape = {count};
  result.strides = {1};
  auto at = [&](const Buffer &buffer, Value index) {
    Value offset = b.create<arith::MulIOp>(loc, index, k.i64(loc, storageBytes(buffer.element)));
    return k.offsetPointer(loc, k.bufferPointer(loc, buffer), offset);
  };
  auto inTable = [&](int64_t table, Value index) {
    return k.offsetPointer(loc, at(bins, index), k.i64(loc, table * bins.strides[0] * bytes));
  };
  auto loop = [&](int64_t end, int64_t step, llvm::function_ref<void(Value)> body) {
    auto loop = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, end), k.i64(loc, step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  };
  VectorType vector = vectorType(element, lanes);
  loop(count, lanes, [&](Value index) {
    for (int64_t table = 0; table < tables; ++table)
      b.create<LLVM::StoreOp>(loc, k.zeroOf(loc, vector), inTable(table, index), unsigned(bytes));
  });
  Type index = which.element.isInteger(64) ? b.getI64Type() : b.getI32Type();
  const int64_t together = largestDivisor(elements, k.machine.lanes(index.getIntOrFloatBitWidth()));
  Buffer places = k.allocate({elements}, b.getI32Type());
  loop(elements, together, [&](Value first) {
    auto load = [&](const Buffer &buffer) -> Value {
      return b.create<LLVM::LoadOp>(loc, vectorType(storageType(buffer.element), together), at(buffer, first),
                                    unsigned(storageBytes(buffer.element)));
    };
    VectorType wide = vectorType(index, together), narrow = vectorType(b.getI32Type(), together);
    Value place = load(which);
    if (which.element.isInteger(1))
      place = b.create<arith::SubIOp>(loc, k.zeroOf(loc, place.getType()), place);
    if (place.getType() != wide)
      place = b.create<arith::ExtSIOp>(loc, wide, place);
    Value beyond = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(wide, b.getIntegerAttr(index, count)));
    place = b.create<arith::MinUIOp>(loc, place, beyond);
    if (mask) {
      Value byte = load(*mask);
      Value counts = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, byte, k.zeroOf(loc, byte.getType()));
      place = b.create<arith::SelectOp>(loc, counts, place, beyond);
    }
    if (wide != narrow)
      place = b.create<arith::TruncIOp>(loc, narrow, place);
    b.create<LLVM::StoreOp>(loc, place, at(places, first), 4);
  });
  loop(elements, tables, [&](Value first) {
    for (int64_t table = 0; table < tables; ++table) {
      Value index = b.create<arith::AddIOp>(loc, first, k.i64(loc, table));
      Value bin = b.create<arith::ExtUIOp>(loc, b.getI64Type(), k.loadScalar(loc, b.getI32Type(), at(places, index)));
      Value place = inTable(table, bin), one = b.create<arith::ConstantIntOp>(loc, 1, 32);
      Value counted = b.create<arith::AddIOp>(loc, b.create<LLVM::LoadOp>(loc, element, place, unsigned(bytes)), one);
      b.create<LLVM::StoreOp>(loc, counted, place, unsigned(bytes));
    }
  });
  if (tables == 1)
    return result;
  loop(count, lanes, [&](Value index) {
    Value sum;
    for (int64_t table = 0; table < tables; ++table) {
      Value counted = b.create<LLVM::LoadOp>(loc, vector, inTable(table, index), unsigned(bytes));
      sum = sum ? b.create<arith::AddIOp>(loc, sum, counted).getResult() : counted;
    }
    b.create<LLVM::StoreOp>(loc, sum, inTable(0, index), unsigned(bytes));
  });
  return result;
}

} // namespace tilewise::cpu
