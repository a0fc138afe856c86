// cpu-form-nests: tile IR -> the same kernel as loop nests (cpu.nest) over blocks in scratch.
// FormNests.h tells how they are found.
//
// The kernel is written anew, block by block in the order of each block's plan. A nest gets its own
// copy of what it pulls, so that what it holds is what it computes; a block that lies in scratch by
// then is a `cpu.read`. Loops and branches keep their scalars and lose their blocks: these have one
// room in scratch that is written before the loop, read in the body, written again by the body's
// end and read after the loop. A block of pointers or integers that only moves as a whole (`ptrs +=
// BLOCK_K * stride`, see CarriedBlock) stays what the loop carries: it is one scalar.
#include "target/cpu/plan/FormNests.h"
#include "target/cpu/Passes.h"
#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/NestSurvey.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_FORMNESTS
#include "target/cpu/Passes.h.inc"

namespace {

/// The kernel's values -> what they are in one stretch of the new kernel: in a nest, or before an
/// op over whole blocks.
struct Stretch {
  const PlannedNest *nest = nullptr;
  llvm::DenseMap<Value, Value> values = llvm::DenseMap<Value, Value>();
};

class Writer {
public:
  Writer(func::FuncOp kernel, tile::AccessInference &inference, bool checked)
      : kernel_(kernel), b_(kernel.getContext()),
        planning_{inference, checked, [this](Location loc, RankedTensorType block) -> Value {
                    return b_.create<ScratchOp>(loc, ScratchType::get(block));
                  }} {}

  void run() {
    Block &source = kernel_.getBody().front();
    Block *target = &kernel_.getBody().emplaceBlock();
    for (BlockArgument argument : source.getArguments())
      values_.map(argument, target->addArgument(argument.getType(), argument.getLoc()));
    writeBlock(source, target, {});
    b_.setInsertionPointToEnd(target);
    b_.clone(*source.getTerminator());
    source.dropAllReferences();
    source.dropAllDefinedValueUses();
    source.erase();
  }

private:
  // Values.

  /// No element of it comes from memory or from another nest: index arithmetic, which is written
  /// once and stands outside of nests.
  bool isTimeless(Value value) {
    if (!isBlock(value) || planning_.inference.carried(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || planning_.homes.count(value))
      return false;
    auto [known, isNew] = timeless_.try_emplace(value, false);
    if (!isNew)
      return known->second;
    bool result = op->getNumRegions() == 0 && !isa<tile::MemoryAccess, tile::WholeBlocks>(op) &&
                  llvm::all_of(op->getOperands(), [&](Value operand) { return isTimeless(operand); });
    timeless_[value] = result;
    return result;
  }

  /// What stands for a value of the kernel at the builder's place.
  Value use(Value value, Stretch &stretch) {
    if (!isBlock(value))
      return values_.lookup(value);
    if (Value known = stretch.values.lookup(value))
      return known;
    if (Value home = planning_.homes.lookup(value); home && !(stretch.nest && stretch.nest->keeps(value, home)))
      return stretch.values[value] = b_.create<ReadOp>(value.getLoc(), value.getType(), home);
    if (Value known = values_.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (isTimeless(value)) {
      OpBuilder::InsertionGuard guard(b_);
      goOutside(op);
      Stretch none;
      values_.map(op->getResults(), copy(op, none)->getResults());
      return values_.lookup(value);
    }
    for (auto [from, to] : llvm::zip_equal(op->getResults(), copy(op, stretch)->getResults()))
      stretch.values[from] = to;
    return stretch.values[value];
  }

  /// Where ops of the source block of `op` are being written: before the nest or loop that is.
  void goOutside(Operation *op) {
    auto level = llvm::find_if(levels_, [&](const Level &each) { return each.source == op->getBlock(); });
    if (Operation *inside = b_.getInsertionBlock()->getParentOp(); b_.getInsertionBlock() != level->target) {
      while (inside->getBlock() != level->target)
        inside = inside->getParentOp();
      b_.setInsertionPoint(inside);
    }
  }

  /// The op over what stands for its operands, and for what its regions take from outside.
  Operation *copy(Operation *op, Stretch &stretch) {
    IRMapping mapping;
    auto take = [&](Value value) {
      if (!op->isAncestor(value.getParentBlock()->getParentOp()))
        mapping.map(value, use(value, stretch));
    };
    for (Value operand : op->getOperands())
      take(operand);
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), take); });
    return b_.clone(*op, mapping);
  }

  // Steps.

  void writeBlock(Block &source, Block *target, ArrayRef<RegionResult> results) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(target);
    levels_.push_back({&source, target});
    BlockPlan plan = planBlock(planning_, source, results);
    for (const Step &step : plan.steps)
      write(step, plan);
    levels_.pop_back();
  }

  void write(const Step &step, const BlockPlan &plan) {
    Stretch stretch;
    switch (step.kind) {
    case Step::Scalar:
      values_.map(step.op->getResults(), copy(step.op, stretch)->getResults());
      break;
    case Step::Loops:
      writeNest(step.nest);
      break;
    case Step::Region:
      writeRegionOp(step.op);
      break;
    case Step::Check:
      writeCheck(step.op);
      break;
    case Step::Whole:
      writeWhole(step.op, plan.dotScratch.lookup(step.op));
      break;
    case Step::Nothing:
      break;
    }
  }

  void writeNest(const PlannedNest &nest) {
    SmallVector<Value> scalars;                 // That reductions give;
    SmallVector<std::pair<Value, Value>> homes; // and blocks, for the nests behind this one.
    for (const PlannedRoot &root : nest.roots)
      if (root.op)
        for (Value result : root.op->getResults()) {
          if (isBlock(result))
            homes.push_back({result, newHome(result)});
          else
            scalars.push_back(result);
        }
    auto op = b_.create<NestOp>(nest.roots.front().loc, TypeRange(ValueRange(scalars)), nest.shape);
    {
      OpBuilder::InsertionGuard guard(b_);
      b_.createBlock(&op.getBody());
      Stretch stretch{&nest};
      // Values first: they are what they are before the effects.
      for (const PlannedRoot &root : nest.roots)
        for (Value value : root.op ? SmallVector<Value>(root.op->getOperands()) : SmallVector<Value>{root.value})
          if (value)
            use(value, stretch);
      for (const PlannedRoot &root : nest.roots)
        writeRoot(root, homes, stretch);
      SmallVector<Value> yielded;
      for (Value scalar : scalars)
        yielded.push_back(stretch.values[scalar]);
      b_.create<YieldOp>(op.getLoc(), yielded);
    }
    values_.map(scalars, op.getResults());
    planning_.homes.insert(homes.begin(), homes.end());
  }

  void writeRoot(const PlannedRoot &root, ArrayRef<std::pair<Value, Value>> homes, Stretch &stretch) {
    if (!root.op) {
      Value value = root.kind == PlannedRoot::Copy
                        ? b_.create<ReadOp>(root.loc, cast<ScratchType>(root.from.getType()).getBlock(), root.from)
                        : use(root.value, stretch);
      b_.create<KeepOp>(root.loc, value, root.scratch);
      return;
    }
    Operation *inside = copy(root.op, stretch);
    for (auto [from, to] : llvm::zip_equal(root.op->getResults(), inside->getResults())) {
      stretch.values[from] = to;
      for (auto [value, scratch] : homes)
        if (value == from)
          b_.create<KeepOp>(root.loc, to, scratch);
    }
  }

  /// In a nest of its own, at the builder's place.
  void writeKeep(Value value, Value scratch) {
    ArrayRef<int64_t> shape = tile::shapeOf(value.getType());
    writeNest({SmallVector<int64_t, 4>(shape), {{PlannedRoot::Keep, nullptr, value, scratch, {}, value.getLoc()}}});
  }

  void writeCheck(Operation *access) {
    auto check = b_.create<CheckOp>(access->getLoc());
    OpBuilder::InsertionGuard guard(b_);
    b_.createBlock(&check.getBody());
    Stretch stretch;
    copy(access, stretch);
  }

  void writeWhole(Operation *op, Value dotScratch) {
    if (auto whole = dyn_cast<tile::WholeBlocks>(op); whole && whole.givesElements()) {
      for (Value operand : whole.getWholeOperands()) {
        // Of what is written outside of nests already, only results of ops over whole blocks lie in
        // scratch; index arithmetic is nowhere.
        Value written = values_.lookupOrNull(operand);
        if (planning_.homes.count(operand) || (written && liesInScratch(written)))
          continue;
        Value scratch = planning_.newScratch(op->getLoc(), cast<RankedTensorType>(operand.getType()));
        writeKeep(operand, scratch);
        planning_.homes[operand] = scratch;
      }
      return;
    }
    Stretch stretch;
    Operation *written = copy(op, stretch);
    values_.map(op->getResults(), written->getResults());
    if (dotScratch)
      b_.create<KeepOp>(op->getLoc(), written->getResult(0), dotScratch);
  }

  // Loops and branches.

  /// Whether a region carries the value as a scalar of the CPU stage: scalars, and blocks known by
  /// their first element.
  bool isCarriedAsScalar(Value target) { return !isBlock(target) || planning_.inference.carried(target); }

  Value newHome(Value value) { return planning_.newScratch(value.getLoc(), cast<RankedTensorType>(value.getType())); }

  SmallVector<Type> scalarTypes(ValueRange targets) {
    SmallVector<Type> types;
    for (Value target : targets)
      if (isCarriedAsScalar(target))
        types.push_back(target.getType());
    return types;
  }

  /// Gives every block among `targets` that is not carried as a scalar a home, and maps the others
  /// to `written`, in order.
  SmallVector<Value> settle(ValueRange targets, ValueRange written, ArrayRef<Value> known = {}) {
    SmallVector<Value> homes;
    size_t next = 0;
    for (Value target : targets) {
      if (isCarriedAsScalar(target)) {
        values_.map(target, written[next++]);
        continue;
      }
      homes.push_back(known.empty() ? newHome(target) : known[homes.size()]);
      planning_.homes[target] = homes.back();
    }
    return homes;
  }

  /// What a loop starts with: the scalars among `inits`; the blocks are written to their new homes.
  SmallVector<Value> startWith(ValueRange inits, ValueRange targets, SmallVector<Value> &homes) {
    Stretch stretch;
    SmallVector<Value> scalars;
    for (auto [init, target] : llvm::zip_equal(inits, targets)) {
      if (isCarriedAsScalar(target)) {
        scalars.push_back(use(init, stretch));
        continue;
      }
      homes.push_back(newHome(target));
      writeKeep(init, homes.back());
    }
    return scalars;
  }

  /// A region's block and the op that ends it, by which `values` become `targets`: scalars by that
  /// op, blocks in `homes`, in order. `arguments` are the blocks that live in the homes while the
  /// region runs, if they are carried around it.
  void writeRegionBlock(Block &source, Block *target, ValueRange values, ValueRange targets, ArrayRef<Value> homes,
                        ValueRange arguments, llvm::function_ref<void(ArrayRef<Value>)> end) {
    SmallVector<RegionResult> results;
    for (auto [index, value] : llvm::enumerate(values))
      if (!isCarriedAsScalar(targets[index]))
        results.push_back({value, homes[results.size()], arguments.empty() ? Value() : arguments[index]});
    writeBlock(source, target, results);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(target);
    levels_.push_back({&source, target});
    Stretch stretch;
    SmallVector<Value> scalars;
    for (auto [value, target] : llvm::zip_equal(values, targets))
      if (isCarriedAsScalar(target))
        scalars.push_back(use(value, stretch));
    end(scalars);
    levels_.pop_back();
  }

  void writeFor(scf::ForOp op) {
    Location loc = op.getLoc();
    SmallVector<Value> homes;
    SmallVector<Value> initial = startWith(op.getInitArgs(), op.getRegionIterArgs(), homes);
    auto loop =
        b_.create<scf::ForOp>(loc, values_.lookup(op.getLowerBound()), values_.lookup(op.getUpperBound()),
                              values_.lookup(op.getStep()), initial, [](OpBuilder &, Location, Value, ValueRange) {});
    values_.map(op.getInductionVar(), loop.getInductionVar());
    settle(op.getRegionIterArgs(), loop.getRegionIterArgs(), homes);
    writeRegionBlock(*op.getBody(), loop.getBody(), op.getYieldedValues(), op.getRegionIterArgs(), homes,
                     op.getRegionIterArgs(), [&](ArrayRef<Value> scalars) { b_.create<scf::YieldOp>(loc, scalars); });
    settle(op.getResults(), loop.getResults(), homes);
  }

  void writeIf(scf::IfOp op) {
    Location loc = op.getLoc();
    bool hasElse = !op.getElseRegion().empty();
    SmallVector<Value> homes;
    for (Value result : op.getResults())
      if (!isCarriedAsScalar(result))
        homes.push_back(newHome(result));
    auto branch = b_.create<scf::IfOp>(loc, scalarTypes(op.getResults()), values_.lookup(op.getCondition()), hasElse);
    auto end = [&](ArrayRef<Value> scalars) { b_.create<scf::YieldOp>(loc, scalars); };
    auto side = [&](Block *source, scf::YieldOp yield, Block *target) {
      if (!target->empty())
        target->getTerminator()->erase();
      writeRegionBlock(*source, target, yield.getOperands(), op.getResults(), homes, {}, end);
    };
    side(op.thenBlock(), op.thenYield(), branch.thenBlock());
    if (hasElse)
      side(op.elseBlock(), op.elseYield(), branch.elseBlock());
    settle(op.getResults(), branch.getResults(), homes);
  }

  void writeWhile(scf::WhileOp op) {
    Location loc = op.getLoc();
    SmallVector<Value> tested, passed;
    SmallVector<Value> initial = startWith(op.getInits(), op.getBeforeArguments(), tested);
    for (Value result : op.getResults())
      if (!isCarriedAsScalar(result))
        passed.push_back(newHome(result));
    auto loop = b_.create<scf::WhileOp>(loc, scalarTypes(op.getResults()), initial, nullptr, nullptr);
    settle(op.getBeforeArguments(), loop.getBeforeArguments(), tested);
    settle(op.getAfterArguments(), loop.getAfterArguments(), passed);
    // Each side reads its own scratch and writes the other's, so that nothing is overwritten while
    // it is read.
    scf::ConditionOp condition = op.getConditionOp();
    writeRegionBlock(*op.getBeforeBody(), loop.getBeforeBody(), condition.getArgs(), op.getResults(), passed, {},
                     [&](ArrayRef<Value> scalars) {
                       b_.create<scf::ConditionOp>(loc, values_.lookup(condition.getCondition()), scalars);
                     });
    writeRegionBlock(*op.getAfterBody(), loop.getAfterBody(), op.getYieldOp().getOperands(), op.getBeforeArguments(),
                     tested, {}, [&](ArrayRef<Value> scalars) { b_.create<scf::YieldOp>(loc, scalars); });
    settle(op.getResults(), loop.getResults(), passed);
  }

  void writeRegionOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return writeFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return writeIf(branch);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return writeWhile(loop);
    Stretch stretch; // For the emitter to refuse.
    values_.map(op->getResults(), copy(op, stretch)->getResults());
  }

  struct Level {
    Block *source, *target;
  };

  func::FuncOp kernel_;
  OpBuilder b_;
  Planning planning_;
  /// Scalars, results of ops over whole blocks, carried blocks, index arithmetic.
  IRMapping values_;
  llvm::DenseMap<Value, bool> timeless_;
  SmallVector<Level> levels_; ///< The blocks being written, outermost first.
};

struct FormNests : impl::FormNestsBase<FormNests> {
  using FormNestsBase::FormNestsBase;

  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel || !kernel.getBody().hasOneBlock()) {
      getOperation().emitError("CPU engine: the module needs one tile.kernel with one block");
      return signalPassFailure();
    }
    Writer(kernel, getChildAnalysis<tile::AccessInference>(kernel), checked).run();
  }
};

} // namespace

} // namespace tilewise::cpu
