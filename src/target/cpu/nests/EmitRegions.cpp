// Blocks of ops by their plan, and the loops and branches of a kernel: scalars stay SSA values, blocks live in scratch.
//
// A carried block has one buffer: written before the loop, read in the body as the iter_arg, written again by the body's end (nest forming sees to
// it that nothing reads the old block by then), read after the loop as the result. A block of pointers or integers that only moves
// as a whole (`ptrs += BLOCK_K * stride`) is carried as the scalar of its first element, see CarriedBlock.
#include "target/cpu/plan/NestForming.h"
#include "target/cpu/plan/Prefetch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

static bool isBlock(Value value) { return isa<RankedTensorType>(value.getType()); }

void emitBlock(KernelEmitter &k, Block &block, ArrayRef<RegionResult> results) {
  BlockPlan plan = formNests(k, block, results);
  if (&block == &k.source.getBody().front())
    choosePrefetches(k, plan);
  for (const Step &step : plan.steps) {
    if (k.failed)
      return;
    switch (step.kind) {
    case Step::Scalar:
      k.emitScalarOp(step.op);
      break;
    case Step::Loops:
      emitNest(k, step.nest);
      break;
    case Step::Region:
      emitRegionOp(k, step.op);
      break;
    case Step::Check:
      emitCheck(k, cast<tile::MemoryAccess>(step.op));
      break;
    case Step::Whole: {
      auto found = plan.dotDestinations.find(step.op);
      emitWholeBlocks(k, step.op, found == plan.dotDestinations.end() ? nullptr : &found->second);
      break;
    }
    case Step::Nothing:
      break;
    }
  }
}

static Buffer newHome(KernelEmitter &k, Value value) {
  return k.allocate(tile::shapeOf(value.getType()), tile::elementTypeOf(value.getType()));
}

static void keep(KernelEmitter &k, Value value, const Buffer &buffer) {
  emitNest(k, {buffer.shape, {{Root::Keep, nullptr, value, buffer, {}, value.getLoc()}}});
}

/// Whether a region carries the value as a scalar of the CPU stage: scalars, and blocks known by their first element.
static bool isCarriedAsScalar(KernelEmitter &k, Value target) {
  return !isBlock(target) || k.inference.carried(target);
}

/// The scalar by which `value` becomes `target`.
static Value scalarFor(KernelEmitter &k, Value value, Value target) {
  if (!isBlock(target))
    return k.scalars.lookup(value);
  return k.firstElement(value.getLoc(), k.inference.form(value), tile::elementTypeOf(value.getType()));
}

static SmallVector<Type> scalarTypes(KernelEmitter &k, ValueRange targets) {
  SmallVector<Type> types;
  for (Value target : targets)
    if (isCarriedAsScalar(k, target))
      types.push_back(scalarType(tile::elementTypeOf(target.getType())));
  return types;
}

/// Gives every block among `targets` that is not carried as a scalar a home, and maps the others to `scalars`, in order.
static SmallVector<Buffer> settle(KernelEmitter &k, ValueRange targets, ValueRange scalars,
                                  ArrayRef<Buffer> known = {}) {
  SmallVector<Buffer> homes;
  size_t next = 0;
  for (Value target : targets) {
    if (isCarriedAsScalar(k, target)) {
      k.scalars.map(target, scalars[next++]);
      continue;
    }
    homes.push_back(known.empty() ? newHome(k, target) : known[homes.size()]);
    k.buffers[target] = homes.back();
  }
  return homes;
}

/// Emits a region's block and the op that ends it, by which `values` become `targets`: scalars by that op, blocks in `homes`, in order.
/// `arguments` are the blocks that live in the homes while the region runs, if they are carried around it.
static void emitRegionBlock(KernelEmitter &k, Block &source, Block *target, ValueRange values, ValueRange targets,
                            ArrayRef<Buffer> homes, ValueRange arguments,
                            llvm::function_ref<void(ArrayRef<Value>)> end) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToEnd(target);
  SmallVector<RegionResult> results;
  for (auto [index, value] : llvm::enumerate(values))
    if (!isCarriedAsScalar(k, targets[index]))
      results.push_back({value, homes[results.size()], arguments.empty() ? Value() : arguments[index]});
  emitBlock(k, source, results);
  if (k.failed)
    return;
  SmallVector<Value> scalars;
  for (auto [value, target] : llvm::zip_equal(values, targets))
    if (isCarriedAsScalar(k, target))
      scalars.push_back(scalarFor(k, value, target));
  end(scalars);
}

/// What a loop starts with: the scalars among `inits`; the blocks are written to their new homes.
static SmallVector<Value> startWith(KernelEmitter &k, ValueRange inits, ValueRange targets,
                                    SmallVector<Buffer> &homes) {
  SmallVector<Value> scalars;
  for (auto [init, target] : llvm::zip_equal(inits, targets)) {
    if (isCarriedAsScalar(k, target)) {
      scalars.push_back(scalarFor(k, init, target));
      continue;
    }
    homes.push_back(newHome(k, target));
    keep(k, init, homes.back());
  }
  return scalars;
}

/// Whether a loop counts as LLVM's does: the step is known to be above 0, and adding it once more than needed cannot overflow.
static bool countsPlainly(scf::ForOp op) {
  APInt step, end;
  if (!matchPattern(op.getStep(), m_ConstantInt(&step)) || !step.isStrictlyPositive())
    return false;
  bool overflows = true;
  if (matchPattern(op.getUpperBound(), m_ConstantInt(&end)))
    (void)end.sadd_ov(step, overflows);
  return step.isOne() || !overflows;
}

/// Any other loop counts its rounds: none for a step that is not above 0, and no index beyond the last round's exists to overflow.
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
  SmallVector<Buffer> homes;
  SmallVector<Value> initial = startWith(k, op.getInitArgs(), op.getRegionIterArgs(), homes);
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
  settle(k, op.getRegionIterArgs(), loop.getRegionIterArgs(), homes);
  settle(k, op.getResults(), loop.getResults(), homes);
  emitRegionBlock(k, *op.getBody(), loop.getBody(), op.getYieldedValues(), op.getRegionIterArgs(), homes,
                  op.getRegionIterArgs(), [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); });
}

static void emitIf(KernelEmitter &k, scf::IfOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(loc, scalarTypes(k, op.getResults()), k.scalars.lookup(op.getCondition()), hasElse);
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!region->empty() && !region->front().empty())
      region->front().getTerminator()->erase();
  SmallVector<Buffer> homes = settle(k, op.getResults(), branch.getResults());
  auto end = [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); };
  emitRegionBlock(k, *op.thenBlock(), branch.thenBlock(), op.thenYield().getOperands(), op.getResults(), homes, {},
                  end);
  if (hasElse && !k.failed)
    emitRegionBlock(k, *op.elseBlock(), branch.elseBlock(), op.elseYield().getOperands(), op.getResults(), homes, {},
                    end);
}

static void emitWhile(KernelEmitter &k, scf::WhileOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  SmallVector<Buffer> tested;
  SmallVector<Value> initial = startWith(k, op.getInits(), op.getBeforeArguments(), tested);
  auto loop = b.create<scf::WhileOp>(loc, scalarTypes(k, op.getResults()), initial, nullptr, nullptr);
  SmallVector<Buffer> passed = settle(k, op.getResults(), loop.getResults());
  settle(k, op.getBeforeArguments(), loop.getBeforeArguments(), tested);
  settle(k, op.getAfterArguments(), loop.getAfterArguments(), passed);
  // Each side reads its own buffers and writes the other's, so that nothing is overwritten while it is read.
  scf::ConditionOp condition = op.getConditionOp();
  emitRegionBlock(k, *op.getBeforeBody(), loop.getBeforeBody(), condition.getArgs(), op.getResults(), passed, {},
                  [&](ArrayRef<Value> scalars) {
                    b.create<scf::ConditionOp>(loc, k.scalars.lookup(condition.getCondition()), scalars);
                  });
  if (!k.failed)
    emitRegionBlock(k, *op.getAfterBody(), loop.getAfterBody(), op.getYieldOp().getOperands(), op.getBeforeArguments(),
                    tested, {}, [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); });
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
