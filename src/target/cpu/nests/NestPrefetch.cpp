// What a nest asks for ahead: the addresses of the next program's loads and stores, and the
// instructions. plan/Prefetch.h tells why.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

constexpr int64_t kLineBytes = 64;

static int64_t bytesAt(Value pointer) {
  return storageBytes(cast<tile::PtrType>(tile::elementTypeOf(pointer.getType())).getPointee());
}

/// Each axis counts on where the one before it wraps; the last program of a range has itself for
/// the next.
static void makeNextIds(KernelEmitter &k, Location loc) {
  if (k.nextProgramIds[0])
    return;
  OpBuilder &b = k.b;
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp loop = k.programLoop;
  b.setInsertionPointToStart(loop.getBody());
  Value linear = b.create<arith::AddIOp>(loc, loop.getInductionVar(), k.i64(loc, 1));
  Value carry = b.create<arith::ExtUIOp>(
      loc, b.getI32Type(), b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, linear, loop.getUpperBound()));
  for (int axis : k.programOrder) {
    Value id = b.create<arith::TruncIOp>(loc, b.getI32Type(), loop.getRegionIterArg(unsigned(axis)));
    Value next = b.create<arith::AddIOp>(loc, id, carry);
    if (axis != k.programOrder.back()) {
      Value wraps = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, k.programCounts[axis]);
      Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
      next = b.create<arith::SelectOp>(loc, wraps, zero, next);
      carry = b.create<arith::SelectOp>(loc, wraps, carry, zero);
    }
    k.nextProgramIds[axis] = next;
  }
}

/// The scalar `value` of the next program. What comes later in the kernel than the builder's place
/// has not been emitted yet, and is.
static Value scalarOfNext(KernelEmitter &k, Value value, llvm::DenseMap<Value, Value> &known) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return k.scalars.lookup(value);
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return k.nextProgramIds[id.getAxis()];
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return k.programCounts[count.getAxis()];
  if (Value found = known.lookup(value))
    return found;
  Value next = k.scalars.lookupOrNull(value);
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    next = next ? next : k.b.clone(*op)->getResult(0);
  } else {
    SmallVector<Value> operands;
    bool differs = !next;
    for (Value operand : op->getOperands()) {
      operands.push_back(scalarOfNext(k, operand, known));
      differs |= operands.back() != k.scalars.lookupOrNull(operand);
    }
    if (differs)
      next = k.applyElementwise(op, operands);
  }
  known[value] = next;
  return next;
}

/// Bytes from what this program loads to what the next one loads, at the builder's place.
static Value distanceToNextProgram(KernelEmitter &k, tile::LoadOp load) {
  OpBuilder &b = k.b;
  Location loc = load.getLoc();
  makeNextIds(k, loc);
  const tile::AffineForm &address = k.inference.access(load).address;
  int64_t bytes = storageBytes(tile::elementTypeOf(load.getType()));
  tile::ScalarExpr base = *address.base * tile::ScalarExpr(bytes);
  llvm::DenseMap<Value, Value> known;
  auto nextScalar = [&](Value factor) { return scalarOfNext(k, factor, known); };
  Value distance =
      b.create<arith::SubIOp>(loc, tile::materialize(b, loc, base, b.getI64Type(), nextScalar), k.evaluate(loc, base));
  Value pointer = k.scalars.lookup(address.pointer), nextPointer = nextScalar(address.pointer);
  if (nextPointer == pointer)
    return distance;
  auto number = [&](Value p) { return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), p); };
  return b.create<arith::AddIOp>(loc, distance, b.create<arith::SubIOp>(loc, number(nextPointer), number(pointer)));
}

/// Where the next program loads or stores, at the builder's place. For a store when the launch
/// streams: one address for all steps.
static NextAccess nextProgramsAccess(KernelEmitter &k, PrefetchOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  makeNextIds(k, loc);
  const tile::AffineForm &address = k.inference.form(op.getPointer());
  tile::ScalarExpr bytes(bytesAt(op.getPointer()));
  llvm::DenseMap<Value, Value> known;
  auto nextScalar = [&](Value factor) { return scalarOfNext(k, factor, known); };
  auto inBytes = [&](const tile::ScalarExpr &elements) -> Value {
    return tile::materialize(b, loc, elements * bytes, b.getI64Type(), nextScalar);
  };
  Value streams = op.getIsStored() ? k.streams : Value();
  auto unlessStreaming = [&](Value number) -> Value {
    return streams ? b.create<arith::SelectOp>(loc, streams, k.i64(loc, 0), number).getResult() : number;
  };
  NextAccess next;
  next.start = k.offsetPointer(loc, nextScalar(address.pointer), unlessStreaming(inBytes(*address.base)));
  for (const auto &stride : address.strides)
    next.strides.push_back(stride->isZero() ? Value() : unlessStreaming(inBytes(*stride)));
  if (streams)
    next.mask = unlessStreaming(k.i64(loc, -1));
  return next;
}

/// Beside a straight load of the main loop: what the next program loads there.
void NestEmitter::prefetchNext(tile::LoadOp op, const Position &position, Value stride) {
  APInt constant;
  const auto *wanted = llvm::find_if(nest_.prefetches, [&](PrefetchOp candidate) {
    return candidate.getPart() == Part::beside && candidate.getPointer() == op.getPointer();
  });
  if (phase_ != Phase::Main || wanted == nest_.prefetches.end() || !stride ||
      !matchPattern(stride, m_ConstantInt(&constant)) ||
      constant != uint64_t(storageBytes(tile::elementTypeOf(op.getType()))))
    return;
  Location loc = op.getLoc();
  const AddressBox &box = addressBox(op);
  Value &start = nextStarts_[op];
  if (!start) {
    at(0);
    start = k_.offsetPointer(loc, box.start, distanceToNextProgram(k_, op));
  }
  // From there as from the load's own start: row by row, so that a chunk has nothing to add but its
  // index.
  LeveledValue address = addressAt(loc, {start, 0}, box.strides, position);
  at(std::max(address.level, vectorLevel_));
  // Locality 3 is all caches, 2 those from the second level on.
  b_.create<LLVM::Prefetch>(loc, address.value, /*rw=*/0, /*hint=*/PrefetchOp(*wanted).getIsUsedOnce() ? 3 : 2,
                            /*cache=*/1);
}

/// In a step of the main loop up to `end`, of which `copy` counts the chunks: what the next program
/// loads or stores, see Prefetch.h.
void NestEmitter::prefetchAhead(int64_t copy, Value end) {
  if (axis_ >= 0 && axis_ != vectorDim_) // The loop along the reduced axis is inside the step.
    return;
  for (PrefetchOp wanted : nest_.prefetches) {
    const Part part = wanted.getPart();
    const bool stores = wanted.getIsStored();
    Location loc = wanted.getLoc();
    if (part == Part::beside || !k_.inference.form(wanted.getPointer()).strides[vectorDim_]->isConstant(1) ||
        (stores && isStreaming_))
      continue;
    auto [entry, isNew] = ahead_.try_emplace(wanted);
    NextAccess &next = entry->second;
    if (isNew) {
      at(0);
      next = nextProgramsAccess(k_, wanted);
    }
    const int64_t bytes = bytesAt(wanted.getPointer());
    auto quarters = [&](Value index, int64_t count) -> Value {
      if (bytes * count % 4 == 0)
        return b_.createOrFold<arith::MulIOp>(loc, index, k_.i64(loc, bytes * count / 4));
      return b_.create<arith::ShRUIOp>(loc, b_.create<arith::MulIOp>(loc, index, k_.i64(loc, bytes * count)),
                                       k_.i64(loc, 2));
    };
    const int64_t share = part == Part::all ? 4 : part == Part::first ? 3 : 1;
    // One for each line: not where the chunks up to the next one end in the line of an earlier one.
    const int64_t chunk = lanes_ * bytes * share / 4;
    if (copy > 0 && copy % std::max<int64_t>(1, kLineBytes / std::max<int64_t>(1, chunk)) != 0)
      continue;
    Value address;
    if (copy > 0) {
      at(vectorLevel_);
      address = k_.offsetPointer(loc, next.firstOfStep, k_.i64(loc, copy * chunk));
    } else {
      Position row = identity();
      row[vectorDim_] = -1;
      LeveledValue start = addressAt(loc, {next.start, 0}, next.strides, row);
      if (part == Part::last) {
        // The nest of the first part may have ended up to four chunks before this one.
        at(vectorLevel_ - 1);
        Value before = quarters(b_.createOrFold<arith::AndIOp>(loc, end, k_.i64(loc, -4 * lanes_)), 3);
        start.value = k_.offsetPointer(
            loc, start.value, next.mask ? b_.create<arith::AndIOp>(loc, before, next.mask).getResult() : before);
      }
      at(vectorLevel_);
      Value offset = quarters(indices_[vectorDim_], share);
      if (next.mask)
        offset = b_.create<arith::AndIOp>(loc, offset, next.mask);
      address = next.firstOfStep = k_.offsetPointer(loc, start.value, offset);
    }
    // Locality 3 is all caches, 2 those from the second level on.
    b_.create<LLVM::Prefetch>(loc, address, /*rw=*/stores ? 1 : 0, /*hint=*/wanted.getIsUsedOnce() ? 3 : 2,
                              /*cache=*/1);
  }
}

} // namespace tilewise::cpu
