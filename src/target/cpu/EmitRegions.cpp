// Blocks of ops by their plan, and the loops and branches of a kernel: scalars stay SSA values, blocks live in scratch.
//
// A carried block has one buffer: written before the loop, read in the body as the iter_arg, written again by the body's end (nest forming sees to
// it that nothing reads the old block by then), read after the loop as the result. A block of pointers or integers that only moves
// as a whole (`ptrs += BLOCK_K * stride`) is carried as the scalar of its first element, see CarriedBlock.
#include "target/cpu/NestForming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

static bool isBlock(Value value) { return isa<RankedTensorType>(value.getType()); }

void emitBlock(KernelEmitter &k, Block &block, ArrayRef<RegionResult> results) {
  BlockPlan plan = formNests(k, block, results);
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
    case Step::Dot: {
      auto found = plan.dotDestinations.find(step.op);
      emitDot(k, cast<tile::DotOp>(step.op), found == plan.dotDestinations.end() ? nullptr : &found->second);
      break;
    }
    case Step::Region:
      emitRegionOp(k, step.op);
      break;
    case Step::Whole:
      emitWholeBlocks(k, step.op);
      break;
    case Step::Nothing:
      break;
    }
  }
}

/// The scalar of a form's first element, as pointer or integer.
static Value firstElement(KernelEmitter &k, Location loc, const tile::AffineForm &form, Type element) {
  OpBuilder &b = k.b;
  auto pointer = dyn_cast<tile::PtrType>(element);
  if (!pointer) {
    Value base = k.evaluate(loc, *form.base);
    return element.getIntOrFloatBitWidth() < 64 ? b.create<arith::TruncIOp>(loc, element, base).getResult() : base;
  }
  Value bytes = k.evaluate(loc, *form.base * tile::ScalarExpr(storageBytes(pointer.getPointee())));
  return k.offsetPointer(loc, k.scalars.lookup(form.pointer), bytes);
}

static Buffer newHome(KernelEmitter &k, Value value) {
  return k.allocate(tile::shapeOf(value.getType()), tile::elementTypeOf(value.getType()));
}

static void keep(KernelEmitter &k, Value value, const Buffer &buffer) {
  emitNest(k, {buffer.shape, {{Root::Keep, nullptr, value, buffer, {}, value.getLoc()}}});
}

static void emitFor(KernelEmitter &k, scf::ForOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  SmallVector<Value> initial;
  SmallVector<unsigned> scalarsAt;
  SmallVector<RegionResult> results;
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs())) {
    const tile::CarriedBlock *carried = isBlock(argument) ? k.inference.carried(argument) : nullptr;
    if (carried || !isBlock(argument)) {
      initial.push_back(carried ? firstElement(k, loc, carried->init, tile::elementTypeOf(argument.getType()))
                                : k.scalars.lookup(op.getInitArgs()[i]));
      scalarsAt.push_back(unsigned(i));
      continue;
    }
    Buffer home = newHome(k, argument);
    keep(k, op.getInitArgs()[i], home);
    results.push_back({yield.getOperand(unsigned(i)), home, argument});
    k.buffers[argument] = home;
    k.buffers[op.getResult(unsigned(i))] = home;
  }
  auto loop =
      b.create<scf::ForOp>(loc, k.scalars.lookup(op.getLowerBound()), k.scalars.lookup(op.getUpperBound()),
                           k.scalars.lookup(op.getStep()), initial, [](OpBuilder &, Location, Value, ValueRange) {});
  k.scalars.map(op.getInductionVar(), loop.getInductionVar());
  for (auto [position, i] : llvm::enumerate(scalarsAt)) {
    k.scalars.map(op.getRegionIterArg(i), loop.getRegionIterArg(unsigned(position)));
    k.scalars.map(op.getResult(i), loop.getResult(unsigned(position)));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  emitBlock(k, *op.getBody(), results);
  if (k.failed)
    return;
  SmallVector<Value> next;
  for (unsigned i : scalarsAt) {
    Value argument = op.getRegionIterArg(i);
    const tile::CarriedBlock *carried = isBlock(argument) ? k.inference.carried(argument) : nullptr;
    next.push_back(carried ? firstElement(k, loc, carried->next, tile::elementTypeOf(argument.getType()))
                           : k.scalars.lookup(yield.getOperand(i)));
  }
  b.create<scf::YieldOp>(loc, next);
}

/// Emits a region's block and the op that ends it with the scalars among `values`; blocks among them go to `homes`, in order.
static void emitRegionBlock(KernelEmitter &k, Block &source, Block *target, ValueRange values, ArrayRef<Buffer> homes,
                            llvm::function_ref<void(ArrayRef<Value>)> end) {
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToEnd(target);
  SmallVector<RegionResult> results;
  for (Value value : values)
    if (isBlock(value))
      results.push_back({value, homes[results.size()], {}});
  emitBlock(k, source, results);
  if (k.failed)
    return;
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!isBlock(value))
      scalars.push_back(k.scalars.lookup(value));
  end(scalars);
}

static SmallVector<Type> scalarTypes(ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values)
    if (!isBlock(value))
      types.push_back(scalarType(value.getType()));
  return types;
}

/// Gives every block among `values` a home, and maps the scalars among them to `scalars`, in order.
static SmallVector<Buffer> settle(KernelEmitter &k, ValueRange values, ValueRange scalars,
                                  ArrayRef<Buffer> known = {}) {
  SmallVector<Buffer> homes;
  size_t next = 0;
  for (Value value : values) {
    if (!isBlock(value)) {
      k.scalars.map(value, scalars[next++]);
      continue;
    }
    homes.push_back(known.empty() ? newHome(k, value) : known[homes.size()]);
    k.buffers[value] = homes.back();
  }
  return homes;
}

static void emitIf(KernelEmitter &k, scf::IfOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  bool hasElse = !op.getElseRegion().empty();
  auto branch = b.create<scf::IfOp>(loc, scalarTypes(op.getResults()), k.scalars.lookup(op.getCondition()), hasElse);
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!region->empty() && !region->front().empty())
      region->front().getTerminator()->erase();
  SmallVector<Buffer> homes = settle(k, op.getResults(), branch.getResults());
  auto end = [&](ArrayRef<Value> scalars) { b.create<scf::YieldOp>(loc, scalars); };
  emitRegionBlock(k, *op.thenBlock(), branch.thenBlock(), op.thenYield().getOperands(), homes, end);
  if (hasElse && !k.failed)
    emitRegionBlock(k, *op.elseBlock(), branch.elseBlock(), op.elseYield().getOperands(), homes, end);
}

static void emitWhile(KernelEmitter &k, scf::WhileOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  SmallVector<Value> initial;
  SmallVector<Buffer> tested;
  for (Value value : op.getInits()) {
    if (!isBlock(value)) {
      initial.push_back(k.scalars.lookup(value));
      continue;
    }
    tested.push_back(newHome(k, value));
    keep(k, value, tested.back());
  }
  auto loop = b.create<scf::WhileOp>(loc, scalarTypes(op.getResults()), initial, nullptr, nullptr);
  SmallVector<Buffer> passed = settle(k, op.getResults(), loop.getResults());
  settle(k, op.getBeforeArguments(), loop.getBeforeArguments(), tested);
  settle(k, op.getAfterArguments(), loop.getAfterArguments(), passed);
  // Each side reads its own buffers and writes the other's, so that nothing is overwritten while it is read.
  scf::ConditionOp condition = op.getConditionOp();
  emitRegionBlock(k, *op.getBeforeBody(), loop.getBeforeBody(), condition.getArgs(), passed,
                  [&](ArrayRef<Value> scalars) {
                    b.create<scf::ConditionOp>(loc, k.scalars.lookup(condition.getCondition()), scalars);
                  });
  if (!k.failed)
    emitRegionBlock(k, *op.getAfterBody(), loop.getAfterBody(), op.getYieldOp().getOperands(), tested,
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
