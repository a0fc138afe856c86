// gpu-pipeline-loops: copies into rings run ahead of what uses them, and sums behind.
//
// A loop with `gpu.ahead = d` begins the copies for iteration i + d in iteration i, so that they
// have d iterations of time. Its body falls into stages: the copies with all that their addresses
// follow from, and the rest. MLIR's own pipeliner moves the first stage d iterations ahead; this
// pass says what belongs to it and in which order an iteration does things:
//
//     gpu.await d - 1      this iteration's copies have arrived, and all threads are done with the
//                          slot that is filled next
//     gpu.fill, gpu.commit for iteration i + d
//     gpu.mma              begun
//     gpu.mma_wait 1       the multiplication of the iteration before is done
//
// The last line is for sums that the loop only carries: they are waited for one iteration later,
// and once more behind the loop.
//
// Where such a sum follows from another multiplication of the same iteration, as in attention
// (S = Q K, P = softmax of S, O += P V), it becomes a last stage, one iteration later. Its
// multiplication is then at work while the threads compute what comes of the next one's:
//
//     gpu.mma          S of i + 1
//     gpu.mma          O += P V of i
//     gpu.mma_wait 1   S of i + 1 is there: its softmax
//     gpu.mma_wait 0   O of i is there
//
// In a loop with `gpu.ahead = 0` other warps see to the copies (SpecializeWarps.cpp). What is left
// to do are the sums; a slot is then released as late as its last reader is waited for.
#include "target/gpu/MemoryRoots.h"
#include "target/gpu/Multiplications.h"
#include "target/gpu/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "target/gpu/Passes.h.inc"

namespace {

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, unsigned ahead) : loop_(loop), ahead_(ahead), body_(loop.getBody()) {}

  LogicalResult run() {
    for (Operation &op : *body_)
      if (op.hasTrait<FillsTile>())
        fills_.push_back(&op);
    if (!isFed() && (fills_.empty() || !collectFirstStage()))
      return success();
    const bool canMove = !isInTheWay();
    if (!isFed() && !canMove)
      return success();
    if (!isFed()) {
      keepApart();
      groupCopies();
    }
    // What is put off to the next iteration reads its slot while that one's is awaited.
    const bool hasSlots = !isFed() || llvm::all_of(body_->getOps<AwaitBoxOp>(), [](AwaitBoxOp await) {
      return await.getRing().getType().getSlots() > 1;
    });
    if (canMove && hasSlots)
      collectLastStage();
    if (MmaWaitOp carried = hasSlots ? carriedSums() : MmaWaitOp()) {
      carried.setPending(1);
      auto sums = cast<BlockArgument>(carried.getAcc().getDefiningOp<MmaOp>().getAcc());
      atWork_.push_back(sums.getArgNumber() - 1);
      if (isFed())
        return waitLater(carried);
    }
    return isFed() && last_.empty() ? success() : pipeline();
  }

private:
  /// Whether others see to the copies.
  bool isFed() const { return ahead_ == 0; }

  /// The copies and what they need, this iteration and from one to the next. False when that cannot
  /// be computed early.
  bool collectFirstStage() {
    SmallVector<Value> open;
    auto add = [&](Operation *op) {
      if (op && op->getBlock() == body_ && first_.insert(op))
        llvm::append_range(open, op->getOperands());
    };
    for (Operation *fill : fills_)
      add(fill);
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == body_) {
        if (argument != loop_.getInductionVar() && firstArguments_.insert(argument).second)
          open.push_back(loop_.getTiedLoopYieldedValue(argument)->get());
      } else if (Operation *op = value.getDefiningOp(); op && !isa<RingOp>(op)) {
        // An op around the loop is there already; one in a region of the body is not in `body_`,
        // and its value cannot be used here.
        add(op);
      }
    }
    return llvm::all_of(first_, [](Operation *op) {
      auto load = dyn_cast<tile::LoadOp>(op);
      return op->hasTrait<FillsTile>() || isMemoryEffectFree(op) || (load && !load.getIsVolatile());
    });
  }

  /// Multiplications that only add to what the loop carries, by what an earlier one of the same
  /// iteration gave: they can be done an iteration later, while that earlier one is at work again.
  void collectLastStage() {
    // All else is then done once more, beyond the last iteration, without effect.
    for (Operation &op : body_->without_terminator())
      if (isa<CheckOp>(op) || hasOtherEffects(&op))
        return;
    for (BlockArgument argument : loop_.getRegionIterArgs()) {
      llvm::SetVector<Operation *> slice;
      getForwardSlice(Value(argument), &slice);
      Value yielded = loop_.getTiedLoopYieldedValue(argument)->get();
      MmaOp sum;
      bool fits = yielded.getDefiningOp<MmaWaitOp>() && slice.contains(yielded.getDefiningOp());
      for (Operation *op : slice) {
        if (op == body_->getTerminator())
          continue;
        if (auto mma = dyn_cast<MmaOp>(op)) {
          fits &= !sum;
          sum = mma;
        }
        fits &= op->getBlock() == body_ && (givesSums(op) || isMemoryEffectFree(op));
        for (OpOperand &use : op->getUses())
          fits &= use.getOwner() != body_->getTerminator() || use.getOperandNumber() == argument.getArgNumber() - 1;
      }
      if (!fits || !sum || readsStaged(sum) || !followsFromAnother(sum))
        continue;
      slice.remove(body_->getTerminator());
      last_.insert(slice.begin(), slice.end());
    }
    // A tile is no value that a loop can carry: each stage finds its own.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body_)))
      if (op.hasTrait<ViewsTile>() && !first_.contains(&op)) {
        OpBuilder builder(&op);
        Operation *own = nullptr;
        for (OpOperand &use : llvm::make_early_inc_range(op.getUses()))
          if (last_.contains(use.getOwner())) {
            own = own ? own : builder.clone(op);
            use.set(own->getResult(0));
          }
        if (own)
          last_.insert(own);
      }
    // It releases the slots that it reads, and waits for those that it alone reads.
    for (Operation &op : *body_)
      if (auto release = dyn_cast<ReleaseOp>(op)) {
        if (llvm::any_of(slotsOf(release.getRing(), release.getN()), [&](SlotOp slot) { return last_.contains(slot); }))
          last_.insert(&op);
      } else if (auto await = dyn_cast<AwaitBoxOp>(op); await && isFed() && !last_.empty()) {
        if (llvm::all_of(slotsOf(await.getRing(), await.getN()), [&](SlotOp slot) { return last_.contains(slot); }))
          last_.insert(&op);
      }
    // What only makes more of something smaller had better be made where it is used.
    for (Operation &op : llvm::reverse(*body_))
      if (!first_.contains(&op) && !op.use_empty() && isMemoryEffectFree(&op) && makesMore(&op) &&
          llvm::all_of(op.getUsers(), [&](Operation *user) { return last_.contains(user); }))
        last_.insert(&op);
  }

  /// By which an iteration reads the slot of a turn.
  static SmallVector<SlotOp> slotsOf(Value ring, Value n) {
    SmallVector<SlotOp> slots;
    for (Operation *user : ring.getUsers())
      if (auto slot = dyn_cast<SlotOp>(user); slot && slot.getN() == n && !slot.use_empty())
        slots.push_back(slot);
    return slots;
  }

  /// Whether a multiplication reads what this iteration stages, which the next one writes again:
  /// it must be done before.
  bool readsStaged(MmaOp mma) {
    return llvm::any_of(mma->getOperands().take_front(2), [&](Value tile) {
      while (auto transpose = tile.getDefiningOp<TransposeOp>())
        tile = transpose.getSource();
      auto stage = tile.getDefiningOp<StageOp>();
      return stage && stage->getBlock() == body_;
    });
  }

  /// Whether a multiplication needs the result of another one of this iteration.
  bool followsFromAnother(MmaOp mma) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.filter = [&](Operation *op) { return op->getBlock() == body_; };
    for (Value operand : mma->getOperands().take_front(2))
      if (operand.getDefiningOp()) {
        getBackwardSlice(operand, &slice, options);
        slice.insert(operand.getDefiningOp());
      }
    return llvm::any_of(slice, [](Operation *op) { return isa<MmaOp>(op); });
  }

  static int64_t bitsOf(Type type) {
    auto block = dyn_cast<RankedTensorType>(type);
    if (!block)
      return 0;
    Type element = block.getElementType();
    return block.getNumElements() * (element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64);
  }
  static bool makesMore(Operation *op) {
    int64_t before = 0, after = 0;
    for (Type type : op->getOperandTypes())
      before += bitsOf(type);
    for (Type type : op->getResultTypes())
      after += bitsOf(type);
    return after >= before;
  }

  /// Whether copies would run ahead of something that may change what they read, or their results
  /// are wanted behind the loop.
  bool isInTheWay() {
    // The pipeliner knows values that an iteration makes for the next one.
    for (Value yielded : body_->getTerminator()->getOperands())
      if (!yielded.getDefiningOp() || yielded.getDefiningOp()->getBlock() != body_)
        return true;
    for (BlockArgument argument : firstArguments_)
      if (!loop_.getTiedLoopResult(argument).use_empty())
        return true;
    SmallVector<Value> roots;
    for (Operation *op : first_)
      if (auto fill = dyn_cast<FillOp>(op))
        roots.push_back(rootOf(fill.getPointer()));
      else if (auto fill = dyn_cast<FillBoxOp>(op))
        roots.push_back(fill.getPointer());
      else if (auto load = dyn_cast<tile::LoadOp>(op))
        roots.push_back(rootOf(load.getPointer()));
    return mayChange(loop_, roots);
  }

  /// What both stages need and follows from the induction variable alone is computed in each:
  /// carried over, it would take registers.
  void keepApart() {
    DenseMap<Operation *, bool> known;
    auto isCheap = [&](auto &&self, Operation *op) -> bool {
      if (op->getBlock() != body_)
        return true;
      if (auto it = known.find(op); it != known.end())
        return it->second;
      bool cheap = isMemoryEffectFree(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
                     if (Operation *def = operand.getDefiningOp())
                       return self(self, def);
                     auto argument = cast<BlockArgument>(operand);
                     return argument.getOwner() != body_ || argument == loop_.getInductionVar();
                   });
      return known[op] = cheap;
    };
    // Last to first, so that the clone's own operands are seen to after it.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body_))) {
      if (!first_.contains(&op) || !isCheap(isCheap, &op) || isa<FillOp>(op))
        continue;
      Operation *clone = nullptr;
      for (OpOperand &use : llvm::make_early_inc_range(op.getUses())) {
        Operation *user = body_->findAncestorOpInBlock(*use.getOwner());
        if (user && (first_.contains(user) || isForNextCopies(use)))
          continue;
        if (!clone)
          clone = OpBuilder(&op).clone(op);
        use.set(clone->getResult(cast<OpResult>(use.get()).getResultNumber()));
      }
    }
  }

  /// Whether the loop carries a value to where the next iteration's copies take it from.
  bool isForNextCopies(OpOperand &use) {
    return use.getOwner() == body_->getTerminator() &&
           firstArguments_.contains(loop_.getRegionIterArg(use.getOperandNumber()));
  }

  /// One group for all copies by threads of an iteration, and one wait for it at the head, with
  /// those for boxes.
  void groupCopies() {
    for (Operation &op : llvm::make_early_inc_range(*body_))
      if (isa<CommitOp, AwaitOp>(op))
        op.erase();
      else if (isa<AwaitBoxOp>(op))
        awaits_.push_back(&op);
    Operation **last = llvm::find_if(llvm::reverse(fills_), llvm::IsaPred<FillOp>).base();
    if (last == fills_.begin())
      return;
    OpBuilder builder(body_, body_->begin());
    awaits_.push_back(builder.create<AwaitOp>(loop_.getLoc(), ahead_ - 1));
    builder.setInsertionPointAfter(last[-1]);
    first_.insert(builder.create<CommitOp>(loop_.getLoc()));
  }

  /// The wait for sums that are only carried from one iteration to the next; null when there is
  /// none, or more than one multiplication.
  MmaWaitOp carriedSums() {
    SmallVector<MmaOp> found;
    loop_.walk([&](MmaOp mma) { found.push_back(mma); });
    if (found.size() != 1 || found[0]->getBlock() != body_ || isBlock(found[0].getA().getType()))
      return {};
    MmaOp mma = found[0];
    auto wait = mma->hasOneUse() ? dyn_cast<MmaWaitOp>(*mma->user_begin()) : MmaWaitOp();
    auto argument = dyn_cast<BlockArgument>(mma.getAcc());
    if (!wait || !wait->hasOneUse() || !argument || argument.getOwner() != body_ || !argument.hasOneUse())
      return {};
    if (readsStaged(mma))
      return {};
    return loop_.getTiedLoopYieldedValue(argument)->get() == wait.getResult() ? wait : MmaWaitOp();
  }

  /// In which order an iteration does things, and to which iteration they belong: `stages` minus
  /// the second number later than the one that is copied for.
  std::vector<std::pair<Operation *, unsigned>> schedule() {
    SmallVector<Operation *> copies, before, after, sums, ends;
    MmaWaitOp firstWait;
    for (Operation &op : body_->without_terminator()) {
      if (llvm::is_contained(awaits_, &op))
        continue;
      if (first_.contains(&op))
        copies.push_back(&op);
      else if (last_.contains(&op))
        (isa<MmaWaitOp, ReleaseOp>(op) ? ends : sums).push_back(&op);
      else if (auto wait = dyn_cast<MmaWaitOp>(op); firstWait || wait) {
        if (!firstWait)
          firstWait = wait;
        after.push_back(&op);
      } else {
        before.push_back(&op);
      }
    }
    unsigned late = llvm::count_if(sums, [](Operation *op) { return isa<MmaOp>(op); });
    unsigned begun = llvm::count_if(before, [](Operation *op) { return isa<MmaOp>(op); });
    if (firstWait && late && begun == 1)
      firstWait.setPending(late);
    std::vector<std::pair<Operation *, unsigned>> order;
    auto add = [&](ArrayRef<Operation *> ops, unsigned stage) {
      for (Operation *op : ops)
        order.push_back({op, stage});
    };
    // Copies come first; but where threads compute between two multiplications, or wait for an
    // address, not before a multiplication is at work.
    add(awaits_, ahead_);
    bool waits = !last_.empty() || llvm::any_of(copies, tile::isLoad);
    if (!waits)
      add(copies, 0);
    add(before, ahead_);
    add(sums, ahead_ + 1);
    if (waits)
      add(copies, 0);
    add(after, ahead_);
    add(ends, ahead_ + 1);
    return order;
  }

  template <typename Op> static void enable(RewriterBase &rewriter, Op op, Value enabled) {
    rewriter.setInsertionPoint(op);
    Value both = op.getEnabled() ? rewriter.create<arith::AndIOp>(op.getLoc(), op.getEnabled(), enabled) : enabled;
    rewriter.modifyOpInPlace(op, [&] { op.getEnabledMutable().assign(both); });
  }

  template <typename Access> static void mask(RewriterBase &rewriter, Access access, Type pointers, Value enabled) {
    rewriter.setInsertionPoint(access);
    Value on = enabled;
    if (isBlock(pointers))
      on = rewriter.create<tile::SplatOp>(access.getLoc(), tile::withElementType(pointers, rewriter.getI1Type()), on);
    if (access.getMask())
      on = rewriter.create<arith::AndIOp>(access.getLoc(), access.getMask(), on);
    rewriter.modifyOpInPlace(access, [&] {
      if (!access.getMask())
        access->setAttr(GpuDialect::kUniformMaskAttr, rewriter.getUnitAttr());
      access.getMaskMutable().assign(on);
    });
  }

  /// Beyond the last iteration there are no copies, no load for an address, as of a row's number,
  /// and nothing that is done between two multiplications.
  static Operation *predicate(RewriterBase &rewriter, Operation *op, Value enabled) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<FillOp, FillBoxOp, AwaitBoxOp, ReleaseOp>([&](auto each) { enable(rewriter, each, enabled); })
        .Case<tile::LoadOp, tile::StoreOp>(
            [&](auto each) { mask(rewriter, each, each.getPointer().getType(), enabled); });
    return op;
  }

  /// Sums that are carried are waited for one iteration later, and so are slots released; those of
  /// the last iteration behind the loop.
  LogicalResult waitLater(MmaWaitOp carried) {
    OpBuilder inside(loop_), behind(loop_);
    behind.setInsertionPointAfter(loop_);
    Location loc = loop_.getLoc();
    for (unsigned result : atWork_) {
      Value sum = loop_.getResult(result);
      auto wait = behind.create<MmaWaitOp>(loc, sum.getType(), sum, 0);
      sum.replaceAllUsesExcept(wait, wait);
    }
    Value any =
        behind.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, loop_.getLowerBound(), loop_.getUpperBound());
    for (ReleaseOp release : llvm::to_vector(body_->getOps<ReleaseOp>())) {
      if (release->isBeforeInBlock(carried))
        continue;
      inside.setInsertionPoint(release);
      auto before = [&](OpBuilder &builder, Value n) -> Value {
        return builder.create<arith::SubIOp>(loc, n, builder.create<arith::ConstantIntOp>(loc, 1, 32));
      };
      behind.create<ReleaseOp>(loc, release.getRing(), before(behind, atTheEnd(behind, release.getN())), any);
      release.getNMutable().assign(before(inside, release.getN()));
      release.getEnabledMutable().assign(
          inside.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, loop_.getInductionVar(), loop_.getLowerBound()));
    }
    return success();
  }

  /// A number that follows from what the loop carries, for the iteration that there is no more.
  Value atTheEnd(OpBuilder &behind, Value n) {
    IRMapping results;
    for (BlockArgument argument : loop_.getRegionIterArgs())
      results.map(argument, loop_.getTiedLoopResult(argument));
    if (Operation *op = n.getDefiningOp(); op && op->getBlock() == body_)
      return behind.clone(*op, results)->getResult(0);
    return results.lookupOrDefault(n);
  }

  LogicalResult pipeline() {
    scf::PipeliningOption options;
    options.getScheduleFn = [&](scf::ForOp, auto &order) { order = schedule(); };
    options.peelEpilogue = false;
    options.supportDynamicLoops = true;
    options.predicateFn = predicate;
    using Part = scf::PipeliningOption::PipelinerPart;
    options.annotateFn = [](Operation *op, Part part, unsigned) {
      if (auto fill = dyn_cast<FillOp>(op); fill && part == Part::Kernel)
        fill.setGuarded(true);
      // Before the loop nothing of an earlier iteration is at work.
      if (auto wait = dyn_cast<MmaWaitOp>(op); wait && part == Part::Prologue)
        wait.setPending(0);
    };
    Location loc = loop_.getLoc();
    Operation *behind = loop_->getNextNode();
    SmallVector<SmallVector<OpOperand *>> users;
    for (OpResult result : loop_.getResults()) {
      users.emplace_back();
      for (OpOperand &use : result.getUses())
        users.back().push_back(&use);
    }
    const SmallVector<Value> inits(loop_.getInitArgs());
    Value begin = loop_.getLowerBound(), end = loop_.getUpperBound();
    IRRewriter rewriter(loop_);
    if (failed(scf::pipelineForLoop(rewriter, loop_, options)))
      return failure();
    OpBuilder builder(behind);
    auto replace = [&](unsigned result, Value by) {
      for (OpOperand *use : users[result])
        use->set(by);
    };
    for (unsigned result : atWork_)
      if (!users[result].empty()) {
        Value sum = users[result].front()->get();
        replace(result, builder.create<MmaWaitOp>(loc, sum.getType(), sum, 0));
      }
    // What the first iterations do before the loop, they do for a loop without iterations as well.
    Value hasIterations;
    for (auto [result, init] : llvm::enumerate(inits)) {
      if (users[result].empty())
        continue;
      Value given = users[result].front()->get();
      auto made = dyn_cast<OpResult>(given);
      auto loop = made ? dyn_cast<scf::ForOp>(made.getOwner()) : scf::ForOp();
      if (!loop || loop.getInitArgs()[made.getResultNumber()] == init)
        continue;
      if (!hasIterations)
        hasIterations = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, begin, end);
      replace(result, select(builder, loc, hasIterations, given, init));
    }
    return success();
  }

  /// One of two values as a whole, by a scalar.
  static Value select(OpBuilder &builder, Location loc, Value condition, Value yes, Value no) {
    if (isBlock(yes.getType()))
      condition =
          builder.create<tile::SplatOp>(loc, tile::withElementType(yes.getType(), builder.getI1Type()), condition);
    return builder.create<arith::SelectOp>(loc, condition, yes, no);
  }

  scf::ForOp loop_;
  unsigned ahead_;
  Block *body_;
  SmallVector<Operation *> fills_;
  llvm::SetVector<Operation *> first_, last_;
  llvm::DenseSet<BlockArgument> firstArguments_;
  SmallVector<Operation *> awaits_;
  SmallVector<unsigned> atWork_; ///< Results that are waited for behind the loop.
};

struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    // Outer loops first: what an inner one begins before itself would pass for copies of the outer.
    while (scf::ForOp loop = nextLoop()) {
      unsigned ahead = cast<IntegerAttr>(loop->removeAttr(GpuDialect::kAheadAttr)).getInt();
      if (failed(Pipeliner(loop, ahead).run())) {
        loop.emitError("internal error: the loop cannot be pipelined as planned");
        return signalPassFailure();
      }
    }
  }

  scf::ForOp nextLoop() {
    scf::ForOp found;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      found = loop->hasAttr(GpuDialect::kAheadAttr) ? loop : nullptr;
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }
};

} // namespace

} // namespace tilewise::gpu
