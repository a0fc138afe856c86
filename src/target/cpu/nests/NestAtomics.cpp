// Atomics: nests that go through their elements one after another.
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

} // namespace tilewise::cpu
