// Atomics: nests that go through their elements one after another, or in a launch that is alone
// through vectors of neighbours (runtime/Alone.h).
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

static LLVM::AtomicOrdering orderingOf(tile::MemOrder order) {
  switch (order) {
  case tile::MemOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemOrder::release:
    return LLVM::AtomicOrdering::release;
  case tile::MemOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  return LLVM::AtomicOrdering::seq_cst;
}

static LLVM::AtomicBinOp opOf(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return LLVM::AtomicBinOp::add;
  case tile::AtomicKind::fadd:
    return LLVM::AtomicBinOp::fadd;
  case tile::AtomicKind::max_s:
    return LLVM::AtomicBinOp::max;
  case tile::AtomicKind::max_u:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::min_s:
    return LLVM::AtomicBinOp::min;
  case tile::AtomicKind::min_u:
    return LLVM::AtomicBinOp::umin;
  case tile::AtomicKind::and_:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::or_:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::xor_:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::xchg:
    return LLVM::AtomicBinOp::xchg;
  }
  return LLVM::AtomicBinOp::xchg;
}

/// Integers of the element's width hold it while it is exchanged or compared bit by bit.
static Value toBits(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), value);
  if (isa<FloatType>(type))
    return b.create<arith::BitcastOp>(loc, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  return value;
}

static Value fromBits(OpBuilder &b, Location loc, Value bits, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return b.create<LLVM::IntToPtrOp>(loc, type, bits);
  return bits.getType() == type ? bits : b.create<arith::BitcastOp>(loc, type, bits).getResult();
}

/// fadd on a float that no instruction adds: load, add in f32, compare and swap until nobody came
/// between.
static Value addNarrowFloat(KernelEmitter &k, tile::AtomicRmwOp op, Value pointer, Value value) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  Type type = value.getType(), bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  Value start = b.create<LLVM::LoadOp>(loc, bits, pointer, bytes, /*isVolatile=*/true);
  auto loop = b.create<scf::WhileOp>(loc, TypeRange(bits), ValueRange(start), nullptr, nullptr);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBeforeBody());
  Value old = loop.getBeforeArguments()[0];
  Value sum = b.create<arith::AddFOp>(loc, b.create<arith::BitcastOp>(loc, type, old), value);
  auto swapped = b.create<LLVM::AtomicCmpXchgOp>(loc, pointer, old, b.create<arith::BitcastOp>(loc, bits, sum),
                                                 orderingOf(op.getOrder()), LLVM::AtomicOrdering::monotonic);
  Value found = b.create<LLVM::ExtractValueOp>(loc, swapped, ArrayRef<int64_t>{0});
  Value done = b.create<LLVM::ExtractValueOp>(loc, swapped, ArrayRef<int64_t>{1});
  Value again = b.create<arith::XOrIOp>(loc, done, b.create<arith::ConstantIntOp>(loc, 1, 1));
  b.create<scf::ConditionOp>(loc, again, found);
  b.setInsertionPointToEnd(loop.getAfterBody());
  b.create<scf::YieldOp>(loc, loop.getAfterArguments());
  b.setInsertionPointAfter(loop);
  return b.create<arith::BitcastOp>(loc, type, loop.getResult(0));
}

Value emitAtomic(KernelEmitter &k, Operation *op, Value pointer, Value value, Value expected) {
  OpBuilder &b = k.b;
  Location loc = op->getLoc();
  Type type = value.getType();
  if (auto swap = dyn_cast<tile::AtomicCasOp>(op)) {
    LLVM::AtomicOrdering ordering = orderingOf(swap.getOrder());
    // A failed exchange only reads.
    LLVM::AtomicOrdering failed = ordering == LLVM::AtomicOrdering::acq_rel   ? LLVM::AtomicOrdering::acquire
                                  : ordering == LLVM::AtomicOrdering::release ? LLVM::AtomicOrdering::monotonic
                                                                              : ordering;
    auto swapped = b.create<LLVM::AtomicCmpXchgOp>(loc, pointer, toBits(b, loc, expected), toBits(b, loc, value),
                                                   ordering, failed);
    return fromBits(b, loc, b.create<LLVM::ExtractValueOp>(loc, swapped, ArrayRef<int64_t>{0}), type);
  }
  auto update = cast<tile::AtomicRmwOp>(op);
  LLVM::AtomicOrdering ordering = orderingOf(update.getOrder());
  if (update.getKind() != tile::AtomicKind::fadd)
    return fromBits(b, loc,
                    b.create<LLVM::AtomicRMWOp>(loc, opOf(update.getKind()), pointer, toBits(b, loc, value), ordering),
                    type);
  if (type.getIntOrFloatBitWidth() < 32)
    return addNarrowFloat(k, update, pointer, value);
  return b.create<LLVM::AtomicRMWOp>(loc, LLVM::AtomicBinOp::fadd, pointer, value, ordering);
}

void NestEmitter::updateAt(const Root &root, ArrayRef<LeveledValue> operands) {
  Location loc = root.loc;
  unsigned inner = places_.size() - 1;
  at(inner);
  bool swaps = isa<tile::AtomicCasOp>(root.op), keeps = !root.destination.shape.empty();
  Value pointer = operands[0].value, value = operands[swaps ? 2 : 1].value,
        expected = swaps ? operands[1].value : Value(), old;
  if (!swaps && operands.size() > 2) {
    auto branch = b_.create<scf::IfOp>(loc, TypeRange(value.getType()), operands[2].value, /*withElse=*/true);
    b_.setInsertionPointToStart(branch.thenBlock());
    old = emitAtomic(k_, root.op, pointer, value, expected);
    b_.create<scf::YieldOp>(loc, old);
    b_.setInsertionPointToStart(branch.elseBlock());
    b_.create<scf::YieldOp>(loc, k_.zeroOf(loc, value.getType()));
    b_.setInsertionPointAfter(branch);
    old = branch.getResult(0);
  } else {
    old = emitAtomic(k_, root.op, pointer, value, expected);
  }
  if (keeps)
    writeBuffer(loc, root.destination, identity(), old);
}

/// As a store's: addresses whose lanes have a stride are made once a row.
void NestEmitter::surveyUpdate(tile::AtomicRmwOp op) {
  survey_.take(op.getValue(), identity());
  tile::StructuredAccess access = survey_.inference.access(op);
  if (access.mask)
    for (Value rest : access.mask->remainder)
      survey_.take(rest, identity());
  if (access.address.isAffine())
    return;
  survey_.take(op.getPointer(), survey_.rowsOf(op, identity()));
}

/// Lanes of one chunk must not meet: along a dimension whose elements are neighbours. What other
/// rows add to the same elements comes before or after.
NestLanes NestEmitter::lanesOfUpdate(tile::AtomicRmwOp op) {
  const tile::AffineForm &address = survey_.inference.access(op).address;
  for (int d = int(nest_.shape.size()) - 1; d >= 0; --d) {
    const bool areNeighbours =
        size_t(d) < address.strides.size() && address.strides[d] && address.strides[d]->isConstant(1);
    if (areNeighbours && nest_.shape[d] > 1)
      return {d, std::min(k_.machine.lanes(survey_.widestBits[d]), int64_t(llvm::bit_floor(uint64_t(nest_.shape[d]))))};
  }
  return {};
}

static Value combined(OpBuilder &b, Location loc, tile::AtomicKind kind, Value x, Value y) {
  switch (kind) {
  case tile::AtomicKind::add:
    return b.create<arith::AddIOp>(loc, x, y);
  case tile::AtomicKind::fadd:
    return b.create<arith::AddFOp>(loc, x, y);
  case tile::AtomicKind::max_s:
    return b.create<arith::MaxSIOp>(loc, x, y);
  case tile::AtomicKind::max_u:
    return b.create<arith::MaxUIOp>(loc, x, y);
  case tile::AtomicKind::min_s:
    return b.create<arith::MinSIOp>(loc, x, y);
  case tile::AtomicKind::min_u:
    return b.create<arith::MinUIOp>(loc, x, y);
  case tile::AtomicKind::and_:
    return b.create<arith::AndIOp>(loc, x, y);
  case tile::AtomicKind::or_:
    return b.create<arith::OrIOp>(loc, x, y);
  case tile::AtomicKind::xor_:
    return b.create<arith::XOrIOp>(loc, x, y);
  case tile::AtomicKind::xchg:
    break;
  }
  return y;
}

void NestEmitter::updateAlone(tile::AtomicRmwOp op, LeveledValue value) {
  Location loc = op.getLoc();
  Type element = tile::elementTypeOf(op.getValue().getType());
  unsigned inner = places_.size() - 1;
  auto [address, stride] = lanesAt(op, identity());
  Mask mask = maskOf(op, identity());
  if (k_.failed)
    return;
  if (vectorDim_ >= 0) {
    Value lanes = lanesOf(value, element).value, on = laneMask(loc, mask);
    at(inner);
    Value old = loadLanes(loc, element, address.value, stride, on, {});
    return storeLanes(loc, element, combined(b_, loc, op.getKind(), old, lanes), address.value, stride, on);
  }
  at(inner);
  if (mask.uniform) {
    auto branch = b_.create<scf::IfOp>(loc, mask.uniform.value, /*withElse=*/false);
    b_.setInsertionPointToStart(branch.thenBlock());
  }
  Value old = k_.loadScalar(loc, element, address.value);
  k_.storeScalar(loc, element, combined(b_, loc, op.getKind(), old, value.value), address.value);
}

} // namespace tilewise::cpu
