// A block of the plan, op by op; and its loops and branches, which carry scalars: blocks live in
// scratch.
//
// A block of pointers or integers that only moves as a whole (`ptrs += BLOCK_K * stride`) is
// carried as the scalar of its first element, see CarriedBlock.
#include "target/cpu/emit/EmitPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

/// Blocks that lie in scratch where a nest, a check or an op over whole blocks asks for them.
static void place(KernelEmitter &k, ReadOp read) { k.buffers[read.getResult()] = k.rooms.lookup(read.getScratch()); }

static void emitNestOp(KernelEmitter &k, NestOp op) {
  Nest nest{SmallVector<int64_t, 4>(op.getShape()), {}};
  for (Operation &inner : op.getBody().front()) {
    Location loc = inner.getLoc();
    if (auto read = dyn_cast<ReadOp>(inner)) {
      place(k, read);
    } else if (tile::isStore(&inner)) {
      nest.roots.push_back({Root::Store, &inner, {}, {}, loc});
    } else if (isa<tile::ReduceOp>(inner)) {
      nest.roots.push_back({Root::Reduce, &inner, {}, {}, loc});
    } else if (auto keep = dyn_cast<KeepOp>(inner)) {
      const Buffer &room = k.rooms[keep.getScratch()];
      if (keep.getValue().getDefiningOp<tile::ReduceOp>())
        k.buffers[keep.getValue()] = room; // For the end of its loop.
      else
        nest.roots.push_back({Root::Keep, nullptr, keep.getValue(), room, loc});
    } else if (auto prefetch = dyn_cast<PrefetchOp>(inner)) {
      nest.prefetches.push_back(prefetch);
    }
  }
  nest.guard = op.getGuard();
  nest.streams = op.getStreams();
  nest.lanes = lanesOf(op);
  if (op.getRows()) {
    nest.rows = *op.getRows();
    nest.rowDim = *op.getRowDim();
  }
  emitNest(k, nest);
  if (k.failed)
    return;
  for (auto [result, scalar] : llvm::zip_equal(op.getResults(), op.getBody().front().getTerminator()->getOperands()))
    k.scalars.map(result, k.scalars.lookup(scalar));
}

static void emitCheckOp(KernelEmitter &k, CheckOp op) {
  for (auto read : op.getBody().getOps<ReadOp>())
    place(k, read);
  emitCheck(k, cast<tile::MemoryAccess>(op.getBody().front().back()));
}

/// Whether nobody computes the op where it stands: nests and ops over whole blocks pull chunks of
/// it.
static bool isPulled(KernelEmitter &k, Operation *op) {
  if (isChoiceOfCarried(k.inference, op))
    return false;
  return llvm::any_of(op->getOperands(), isBlock) || llvm::any_of(op->getResults(), isBlock);
}

static void emitOp(KernelEmitter &k, Operation *op) {
  if (auto scratch = dyn_cast<ScratchOp>(op)) {
    RankedTensorType block = cast<ScratchType>(scratch.getType()).getBlock();
    k.rooms[scratch] = k.allocate(block.getShape(), block.getElementType());
  } else if (auto read = dyn_cast<ReadOp>(op)) {
    place(k, read);
  } else if (auto nest = dyn_cast<NestOp>(op)) {
    emitNestOp(k, nest);
  } else if (auto check = dyn_cast<CheckOp>(op)) {
    emitCheckOp(k, check);
  } else if (isa<tile::TellsPeople>(op) || (isa<tile::WholeBlocks>(op) && isPulled(k, op))) {
    emitWholeBlocks(k, op);
  } else if (op->getNumRegions() != 0) {
    emitRegionOp(k, op);
  } else if (!isPulled(k, op)) {
    k.emitScalarOp(op);
  }
}

void emitBlock(KernelEmitter &k, Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (k.failed)
      return;
    emitOp(k, &op);
  }
}

/// The scalar by which `value` becomes `target`: of a block, its first element.
static Value scalarFor(KernelEmitter &k, Value value, Value target) {
  if (!isBlock(target))
    return k.scalars.lookup(value);
  return k.firstElement(value.getLoc(), k.inference.form(value), tile::elementTypeOf(value.getType()));
}

static SmallVector<Value> scalarsFor(KernelEmitter &k, ValueRange values, ValueRange targets) {
  SmallVector<Value> scalars;
  for (auto [value, target] : llvm::zip_equal(values, targets))
    scalars.push_back(scalarFor(k, value, target));
  return scalars;
}

static SmallVector<Type> scalarTypes(ValueRange targets) {
  SmallVector<Type> types;
  for (Value target : targets)
    types.push_back(scalarType(tile::elementTypeOf(target.getType())));
  return types;
}

/// Emits a region's block and the op that ends it, by which `values` become `targets`.
static void emitRegionBlock(KernelEmitter &k, Block &source, Block *target, ValueRange values, ValueRange targets,
                            llvm::function_ref<void(ArrayRef<Value>)> end) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToEnd(target);
  emitBlock(k, source);
  if (!k.failed)
    end(scalarsFor(k, values, targets));
}

/// Whether a loop counts as LLVM's does: the step is known to be above 0, and adding it once more
/// than needed cannot overflow.
static bool countsPlainly(scf::ForOp op) {
  APInt step, end;
  if (!matchPattern(op.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return false;
  bool overflows = true;
  if (matchPattern(op.getUpperBound(), m_ConstantInt(&end)))
    (void)end.sadd_ov(step, overflows);
  return step.isOne() || !overflows;
}

/// Any other loop counts its rounds: none for a step that is not above 0, and no index beyond the
/// last round's exists to overflow.
static Value countRounds(KernelEmitter &k, Location loc, Value begin, Value end, Value step) {
  OpBuilder &b = k.b;
  auto constant = [&](int64_t value) -> Value {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(step.getType(), value));
  };
  Value isUp = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, step, constant(0));
  Value runs = b.create<arith::AndIOp>(loc, isUp, b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, begin, end));
  Value divisor = b.create<arith::SelectOp>(loc, isUp, step, constant(1));
  Value last = b.create<arith::SubIOp>(loc, b.create<arith::SubIOp>(loc, end, begin), constant(1));
  Value rounds = b.create<arith::AddIOp>(loc, b.create<arith::DivUIOp>(loc, last, divisor), constant(1));
  rounds = b.create<arith::SelectOp>(loc, runs, rounds, constant(0));
  // Of 32 bits there may be 2^32 - 1 rounds, which is a negative number there.
  if (rounds.getType().getIntOrFloatBitWidth() < 64)
    rounds = b.create<arith::ExtUIOp>(loc, b.getI64Type(), rounds);
  return rounds;
}

static void emitFor(KernelEmitter &k, scf::ForOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  SmallVector<Value> initial = scalarsFor(k, op.getInitArgs(), op.getRegionIterArgs());
  Value begin = k.scalars.lookup(op.getLowerBound()), end = k.scalars.lookup(op.getUpperBound()),
        step = k.scalars.lookup(op.getStep());
  bool plain = countsPlainly(op);
  Value rounds = plain ? Value() : countRounds(k, loc, begin, end, step);
  auto loop =
      b.create<scf::ForOp>(loc, plain ? begin : k.i64(loc, 0), plain ? end : rounds, plain ? step : k.i64(loc, 1),
                           initial, [](OpBuilder &, Location, Value, ValueRange) {});
  Value index = loop.getInductionVar();
  if (!plain) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (index.getType() != step.getType())
      index = b.create<arith::TruncIOp>(loc, step.getType(), index);
    index = b.create<arith::AddIOp>(loc, begin, b.create<arith::MulIOp>(loc, index, step));
  }
  k.scalars.map(op.getInductionVar(), index);
  k.scalars.map(op.getRegionIterArgs(), loop.getRegionIterArgs());
  k.scalars.map(op.getResults(), loop.getResults());
  emitRegionBlock(k, *op.getBody(), loop.getBody(), op.getYieldedValues(), op.getRegionIterArgs(),
                  [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); });
}

static void emitIf(KernelEmitter &k, scf::IfOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(loc, scalarTypes(op.getResults()), k.scalars.lookup(op.getCondition()), hasElse);
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!region->empty() && !region->front().empty())
      region->front().getTerminator()->erase();
  k.scalars.map(op.getResults(), branch.getResults());
  auto end = [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); };
  emitRegionBlock(k, *op.thenBlock(), branch.thenBlock(), op.thenYield().getOperands(), op.getResults(), end);
  if (hasElse && !k.failed)
    emitRegionBlock(k, *op.elseBlock(), branch.elseBlock(), op.elseYield().getOperands(), op.getResults(), end);
}

static void emitWhile(KernelEmitter &k, scf::WhileOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  SmallVector<Value> initial = scalarsFor(k, op.getInits(), op.getBeforeArguments());
  auto loop = b.create<scf::WhileOp>(loc, scalarTypes(op.getResults()), initial, nullptr, nullptr);
  k.scalars.map(op.getResults(), loop.getResults());
  k.scalars.map(op.getBeforeArguments(), loop.getBeforeArguments());
  k.scalars.map(op.getAfterArguments(), loop.getAfterArguments());
  scf::ConditionOp condition = op.getConditionOp();
  emitRegionBlock(k, *op.getBeforeBody(), loop.getBeforeBody(), condition.getArgs(), op.getResults(),
                  [&](ArrayRef<Value> scalars) {
                    b.create<scf::ConditionOp>(loc, k.scalars.lookup(condition.getCondition()), scalars);
                  });
  if (!k.failed)
    emitRegionBlock(k, *op.getAfterBody(), loop.getAfterBody(), op.getYieldOp().getOperands(), op.getBeforeArguments(),
                    [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); });
}

void emitRegionOp(KernelEmitter &k, Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(k, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(k, branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(k, loop);
  k.refuse(op);
}

} // namespace tilewise::cpu
