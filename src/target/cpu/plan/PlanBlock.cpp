// Plans a block of ops as steps: scalars, loop nests, regions. The idea is told in FormNests.h.
#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/FormNests.h"
#include "target/cpu/plan/PullCosts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace tilewise::cpu {

ArrayRef<int64_t> PlannedRoot::shape() const {
  if (kind == Store)
    return tile::shapeOf(cast<tile::StoreOp>(op).getValue().getType());
  if (kind == Reduce)
    return tile::shapeOf(cast<tile::ReduceOp>(op).getSources().front().getType());
  return cast<ScratchType>(scratch.getType()).getBlock().getShape();
}

bool PlannedNest::keeps(Value value, Value scratch) const {
  return llvm::any_of(roots, [&](const PlannedRoot &root) {
    return root.kind == PlannedRoot::Keep && root.value == value && root.scratch == scratch;
  });
}

/// Whether stores of the nest go to different addresses: whether these overlap is tested when it
/// runs.
static bool storesApart(const PlannedNest &nest) {
  Value pointer;
  for (const PlannedRoot &root : nest.roots)
    if (auto store = dyn_cast_or_null<tile::StoreOp>(root.op)) {
      if (pointer && pointer != store.getPointer())
        return true;
      pointer = store.getPointer();
    }
  return false;
}

/// Whether results lie in scratch whatever pulls them.
static bool isHome(Operation *op) {
  auto whole = dyn_cast<tile::WholeBlocks>(op);
  return op->getNumRegions() != 0 || (whole && !whole.givesElements());
}

/// Of an access, the blocks that say where it goes: pulled operands without the values that go
/// there.
static SmallVector<Value> addressOperands(Planning &k, tile::MemoryAccess access) {
  SmallVector<Value> operands = pulledOperands(k.inference, access);
  llvm::erase_if(operands, [&](Value value) {
    return llvm::is_contained(access->getOperands(), value) && value != access.getPointer() &&
           value != access.getMask();
  });
  return operands;
}

namespace {

/// Where in time: 2 * s + 1 is step s, 2 * s is just before it.
using Moment = size_t;

class Planner {
public:
  Planner(Planning &k, Block &block, ArrayRef<RegionResult> results) : k_(k), block_(block), results_(results) {}

  BlockPlan run() {
    for (Operation &op : block_.without_terminator())
      visit(&op);
    for (const RegionResult &result : results_)
      place({PlannedRoot::Keep, nullptr, result.value, result.scratch, {}, result.value.getLoc()});
    close();
    seedPulls();
    for (Operation &op : llvm::reverse(block_.without_terminator()))
      decide(&op);
    protectCarriedBlocks();
    return assemble();
  }

private:
  // Phase 1: steps, in order, with roots joined greedily.

  void visit(Operation *op) {
    if (k_.checked && isa<tile::MemoryAccess>(op)) {
      close();
      steps_.push_back({Step::Check, op, {}});
    }
    bool blocks = llvm::any_of(op->getOperands(), isBlock) || llvm::any_of(op->getResults(), isBlock);
    if (isa<tile::ReduceOp>(op))
      return place({PlannedRoot::Reduce, op, {}, {}, {}, op->getLoc()});
    if (tile::isStore(op) && blocks)
      return place({PlannedRoot::Store, op, {}, {}, {}, op->getLoc()});
    bool whole = isa<tile::TellsPeople>(op) || (isa<tile::WholeBlocks>(op) && blocks);
    if (op->getNumRegions() != 0 || whole) {
      close();
      if (whole)
        wholeSteps_[op] = steps_.size();
      steps_.push_back({whole ? Step::Whole : Step::Region, op, {}});
      ++epoch_;
      for (Value result : op->getResults())
        ready_[result] = epoch_;
      return;
    }
    size_t ready = readyOf(op->getOperands());
    if (blocks && !isChoiceOfCarried(k_.inference, op)) {
      for (Value result : op->getResults())
        ready_[result] = ready;
      // Behind a store of the open nest: were a later store to join, the load would have to be kept
      // before both of them.
      if (tile::isLoad(op) && (ready > epoch_ || openHasStore()))
        hasLateLoad_ = true;
      return;
    }
    if (ready > epoch_ || tile::changesMemory(op) || (tile::isLoad(op) && openHasStore()))
      close();
    steps_.push_back({Step::Scalar, op, {}});
  }

  size_t readyOf(ValueRange values) const {
    size_t ready = 0;
    for (Value value : values)
      if (auto found = ready_.find(value); found != ready_.end())
        ready = std::max(ready, found->second);
    return ready;
  }

  bool openHasStore() const {
    return open_ && llvm::any_of(open_->roots, [](const PlannedRoot &root) { return root.kind == PlannedRoot::Store; });
  }

  /// Scalars, too: an address that the inference understands is computed from them.
  static SmallVector<Value> operandsOf(const PlannedRoot &root) {
    return root.op ? SmallVector<Value>(root.op->getOperands()) : SmallVector<Value>{root.value};
  }

  bool canJoin(const PlannedRoot &root) {
    if (!open_ || root.shape() != ArrayRef<int64_t>(open_->shape) || readyOf(operandsOf(root)) > epoch_)
      return false;
    for (const PlannedRoot &other : open_->roots) {
      if (root.kind == PlannedRoot::Reduce && other.kind == PlannedRoot::Reduce &&
          cast<tile::ReduceOp>(root.op).getAxis() != cast<tile::ReduceOp>(other.op).getAxis())
        return false;
      if (other.kind != PlannedRoot::Store)
        continue;
      if (root.kind == PlannedRoot::Store && !mayShareNest(cast<tile::StoreOp>(root.op), cast<tile::StoreOp>(other.op)))
        return false;
      if (llvm::any_of(operandsOf(root), [&](Value value) { return loadsAfter(value, other.op); }))
        return false;
    }
    if (root.kind == PlannedRoot::Reduce ? storesApart(*open_) : root.kind == PlannedRoot::Store && reduces(*open_)) {
      PlannedNest joined = *open_;
      joined.roots.push_back(root);
      // Where stores turn out to overlap, roots run one after another; a reduction's result must
      // not depend on that.
      if (storesApart(joined))
        return false;
    }
    return !(root.kind == PlannedRoot::Store && hasLateLoad_);
  }

  static bool reduces(const PlannedNest &nest) {
    return llvm::any_of(nest.roots, [](const PlannedRoot &root) { return root.kind == PlannedRoot::Reduce; });
  }

  /// Stores to the same addresses, or such that most likely have no address in common: to different
  /// tensors, to planes of one.
  bool mayShareNest(tile::StoreOp a, tile::StoreOp b) {
    if (a.getPointer() == b.getPointer())
      return true;
    const tile::StructuredAccess &x = k_.inference.access(a), &y = k_.inference.access(b);
    if (!x.address.isAffine() || !y.address.isAffine())
      return false;
    if (x.address.pointer != y.address.pointer)
      return true;
    tile::ScalarExpr apart = *x.address.base - *y.address.base;
    if (!apart.isConstant())
      return true;
    // Two halves of a row; of a matrix, other rows may lie between them.
    return x.shape.size() == 1 && x.address.strides[0]->isConstant(1) && y.address.strides[0]->isConstant(1) &&
           std::abs(apart.constant()) >= x.shape[0];
  }

  /// Whether pulling `value` runs a load that stands after `store` in this block.
  bool loadsAfter(Value value, Operation *store) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block_ || op->isBeforeInBlock(store))
      return false;
    if (tile::isLoad(op))
      return true;
    return llvm::any_of(op->getOperands(), [&](Value operand) { return loadsAfter(operand, store); });
  }

  void place(PlannedRoot root) {
    if (!canJoin(root)) {
      close();
      open_.emplace();
      open_->shape.assign(root.shape().begin(), root.shape().end());
    }
    if (root.op)
      for (Value result : root.op->getResults())
        ready_[result] = epoch_ + 1;
    open_->roots.push_back(std::move(root));
  }

  void close() {
    if (!open_)
      return;
    steps_.push_back({Step::Loops, nullptr, std::move(*open_)});
    open_.reset();
    hasLateLoad_ = false;
    ++epoch_;
  }

  // Phase 2: last op first, each pulled block learns which steps pull it, and is kept where that is
  // cheaper or needed.

  void seedPulls() {
    for (auto [index, step] : llvm::enumerate(steps_)) {
      Moment moment = 2 * index + 1;
      if (step.kind == Step::Loops) {
        for (const PlannedRoot &root : step.nest.roots)
          pull(root.op ? pulledOperands(k_.inference, root.op) : SmallVector<Value>{root.value}, moment);
      } else if (step.kind == Step::Check) {
        pull(addressOperands(k_, cast<tile::MemoryAccess>(step.op)), moment);
      } else if (step.kind == Step::Region) {
        step.op->walk([&](Operation *inner) { pull(pulledOperands(k_.inference, inner), moment); });
      }
    }
  }

  void pull(ArrayRef<Value> values, Moment moment) {
    for (Value value : values)
      if (isBlock(value) && value.getParentBlock() == &block_)
        if (auto &moments = pulledAt_[value]; !llvm::is_contained(moments, moment))
          moments.push_back(moment);
  }

  unsigned costOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (k_.homes.count(value) || !op || isHome(op))
      return 1;
    if (auto known = cost_.find(value); known != cost_.end())
      return known->second;
    unsigned cost = PullCosts::of(k_.inference, op);
    for (Value operand : pulledOperands(k_.inference, op))
      cost = std::min(cost + costOf(operand), PullCosts::kMost);
    return cost_[value] = cost;
  }

  bool containsLoad(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || k_.homes.count(value) || isHome(op))
      return false;
    return tile::isLoad(op) ||
           llvm::any_of(pulledOperands(k_.inference, op), [&](Value operand) { return containsLoad(operand); });
  }

  static bool storesAfter(const Step &step, Operation *load) {
    auto isLaterStore = [&](Operation *op) { return tile::changesMemory(op) && load->isBeforeInBlock(op); };
    if (step.kind == Step::Loops)
      return llvm::any_of(step.nest.roots, [&](const PlannedRoot &root) { return root.op && isLaterStore(root.op); });
    if (step.kind == Step::Scalar || step.kind == Step::Whole)
      return isLaterStore(step.op);
    bool stores = false;
    if (step.kind == Step::Region && load->isBeforeInBlock(step.op))
      step.op->walk([&](Operation *inner) { stores |= tile::changesMemory(inner); });
    return stores;
  }

  void decide(Operation *op) {
    if (auto whole = wholeSteps_.find(op); whole != wholeSteps_.end()) {
      bool pulled =
          llvm::any_of(op->getResults(), [&](Value result) { return !isBlock(result) || pulledAt_.count(result); });
      if (!pulled && !tile::changesMemory(op) && !isa<tile::TellsPeople>(op)) {
        steps_[whole->second].kind = Step::Nothing;
        return;
      }
      auto wanting = dyn_cast<tile::WholeBlocks>(op);
      pull(wanting ? wanting.getWholeOperands() : SmallVector<Value>(op->getOperands()), 2 * whole->second + 1);
    }
    if (op->getNumResults() != 1 || !isBlock(op->getResult(0)) || isHome(op))
      return;
    Value value = op->getResult(0);
    auto found = pulledAt_.find(value);
    auto load = dyn_cast<tile::LoadOp>(op);
    if (found == pulledAt_.end())
      return;
    SmallVector<Moment, 2> moments = found->second;
    Moment first = *llvm::min_element(moments), last = *llvm::max_element(moments);
    bool keep = false;
    if (load)
      for (size_t s = 0; 2 * s + 1 <= last && !keep; ++s)
        if (storesAfter(steps_[s], op) && (2 * s + 1 < last || steps_[s].kind == Step::Region)) {
          keep = true;
          first = std::min(first,
                           steps_[s].kind == Step::Loops && llvm::is_contained(moments, 2 * s + 1) ? 2 * s + 1 : 2 * s);
        }
    // What a region pulls it may pull many times, and stores inside it may change what is loaded.
    bool inRegion = llvm::any_of(moments, [&](Moment m) { return m % 2 == 1 && steps_[m / 2].kind == Step::Region; });
    if (inRegion && (costOf(value) > PullCosts::kKeepForRegionsBeyond || containsLoad(value)))
      keep = true;
    if (moments.size() > 1 && costOf(value) > PullCosts::kKeepBeyond)
      keep = true;
    if (load && load.getIsVolatile())
      keep = true;
    if (keep && !k_.inference.carried(value)) {
      first = keepAt(value, first);
      moments = {first};
    }
    for (Moment moment : moments)
      pull(pulledOperands(k_.inference, op), moment);
  }

  /// Adds `value` to the nest at `moment` or, where that is none of its shape, to one just before.
  Moment keepAt(Value value, Moment moment) {
    ArrayRef<int64_t> shape = tile::shapeOf(value.getType());
    Value scratch = k_.newScratch(value.getLoc(), cast<RankedTensorType>(value.getType()));
    k_.homes[value] = scratch;
    PlannedRoot root{PlannedRoot::Keep, nullptr, value, scratch, {}, value.getLoc()};
    Step &step = steps_[moment / 2];
    if (moment % 2 == 1 && step.kind == Step::Loops && ArrayRef<int64_t>(step.nest.shape) == shape) {
      step.nest.roots.push_back(root);
      return moment;
    }
    // Nests before a step run in the reverse of the order in which they are added here: an earlier
    // op's nest runs earlier.
    auto &before = before_[moment / 2];
    if (before.empty() || ArrayRef<int64_t>(before.back().shape) != shape)
      before.push_back({SmallVector<int64_t, 4>(shape), {}});
    before.back().roots.push_back(root);
    return moment / 2 * 2;
  }

  // Phase 3: a carried block's buffer is written only when nothing reads the old block any more.

  /// Whether pulling `value` reads `argument`; sets `elsewhere` when at other indices than those of
  /// `value`.
  bool reads(Value value, Value argument, const PlannedNest *nest, bool pointwise, bool &elsewhere) {
    if (value == argument) {
      elsewhere |= !pointwise;
      return true;
    }
    if (auto kept = k_.homes.find(value); kept != k_.homes.end() && !(nest && nest->keeps(value, kept->second)))
      return false;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block_ || isHome(op))
      return false;
    bool same = pointwise && (tile::isElementwise(op) || tile::isLoad(op)), result = false;
    for (Value operand : pulledOperands(k_.inference, op))
      result |= reads(operand, argument, nest, same, elsewhere);
    if (auto whole = dyn_cast<tile::WholeBlocks>(op))
      for (Value operand : whole.getWholeOperands())
        result |= reads(operand, argument, nest, /*pointwise=*/false, elsewhere);
    return result;
  }

  bool nestReads(const PlannedNest &nest, Value argument, bool &elsewhere) {
    bool result = false;
    for (const PlannedRoot &root : nest.roots)
      for (Value value : root.op ? pulledOperands(k_.inference, root.op) : SmallVector<Value>{root.value})
        result |= reads(value, argument, &nest, true, elsewhere);
    return result;
  }

  bool stepReads(size_t index, Value argument, bool &elsewhere) {
    Step &step = steps_[index];
    bool result = false;
    for (const PlannedNest &nest : before_[index])
      result |= nestReads(nest, argument, elsewhere);
    if (step.kind == Step::Loops)
      return nestReads(step.nest, argument, elsewhere) || result;
    if (step.kind == Step::Whole)
      for (Value operand : step.op->getOperands())
        result |= reads(operand, argument, nullptr, false, elsewhere);
    if (step.kind == Step::Check)
      for (Value operand : step.op->getOperands())
        result |= isBlock(operand) && reads(operand, argument, nullptr, false, elsewhere);
    if (step.kind == Step::Region) {
      auto check = [&](ValueRange values) {
        for (Value value : values)
          result |= isBlock(value) && reads(value, argument, nullptr, false, elsewhere);
      };
      check(step.op->getOperands());
      step.op->walk([&](Operation *inner) { check(inner->getOperands()); });
    }
    return result;
  }

  void protectCarriedBlocks() {
    for (const RegionResult &result : results_) {
      if (!result.argument || accumulatesInPlace(result))
        continue;
      for (size_t s = 0; s < steps_.size(); ++s) {
        auto written = llvm::find_if(steps_[s].nest.roots, [&](const PlannedRoot &root) {
          return root.kind == PlannedRoot::Keep && root.value == result.value && root.scratch == result.scratch;
        });
        if (steps_[s].kind != Step::Loops || written == steps_[s].nest.roots.end())
          continue;
        bool elsewhere = false, later = false, ignored = false;
        nestReads(steps_[s].nest, result.argument, elsewhere);
        for (size_t next = s + 1; next < steps_.size(); ++next)
          later |= stepReads(next, result.argument, ignored);
        if (elsewhere || later) {
          Value aside = k_.newScratch(result.value.getLoc(), cast<RankedTensorType>(result.value.getType()));
          copies_.push_back({PlannedRoot::Copy, nullptr, {}, result.scratch, aside, result.value.getLoc()});
          written->scratch = aside;
        }
        break;
      }
    }
  }

  /// acc = dot(a, b, acc) of a loop works on the carried buffer itself, when nothing reads the old
  /// block after the dot.
  bool accumulatesInPlace(const RegionResult &result) {
    auto dot = result.value.getDefiningOp<tile::DotOp>();
    if (!dot || dot->getBlock() != &block_ || !result.value.hasOneUse())
      return false;
    bool elsewhere = false, after = false, ignored = false;
    reads(dot.getAcc(), result.argument, nullptr, true, elsewhere);
    size_t at = 0;
    while (steps_[at].op != dot.getOperation())
      ++at;
    PlannedRoot *root = nullptr;
    PlannedNest *nest = nullptr;
    for (size_t s = at + 1; s < steps_.size(); ++s) {
      after |= stepReads(s, result.argument, ignored);
      for (PlannedRoot &candidate : steps_[s].nest.roots)
        if (candidate.kind == PlannedRoot::Keep && candidate.value == result.value) {
          root = &candidate;
          nest = &steps_[s].nest;
        }
    }
    if (elsewhere || after || !root)
      return false;
    dotScratch_[dot] = result.scratch;
    nest->roots.erase(root);
    return true;
  }

  BlockPlan assemble() {
    BlockPlan plan;
    for (auto [index, step] : llvm::enumerate(steps_)) {
      for (PlannedNest &nest : llvm::reverse(before_[index]))
        plan.steps.push_back({Step::Loops, nullptr, std::move(nest)});
      if (step.kind != Step::Nothing && (step.kind != Step::Loops || !step.nest.roots.empty()))
        plan.steps.push_back(std::move(step));
    }
    for (PlannedRoot &copy : copies_) {
      PlannedNest nest{SmallVector<int64_t, 4>(copy.shape()), {copy}};
      plan.steps.push_back({Step::Loops, nullptr, std::move(nest)});
    }
    plan.dotScratch = std::move(dotScratch_);
    return plan;
  }

  Planning &k_;
  Block &block_;
  ArrayRef<RegionResult> results_;

  std::vector<Step> steps_;
  std::optional<PlannedNest> open_;
  size_t epoch_ = 0; ///< Of the open nest; its results are ready one later.
  /// The first epoch that may use a value; 0 when not listed.
  llvm::DenseMap<Value, size_t> ready_;
  /// A load depends on the open nest or stands behind a store of it: no store behind the load may
  /// join.
  bool hasLateLoad_ = false;

  llvm::DenseMap<Operation *, size_t> wholeSteps_;
  llvm::DenseMap<Value, SmallVector<Moment, 2>> pulledAt_;
  llvm::DenseMap<Value, unsigned> cost_;
  std::map<size_t, SmallVector<PlannedNest, 1>> before_;
  SmallVector<PlannedRoot> copies_;
  llvm::DenseMap<Operation *, Value> dotScratch_;
};

} // namespace

BlockPlan planBlock(Planning &planning, Block &block, ArrayRef<RegionResult> results) {
  return Planner(planning, block, results).run();
}

} // namespace tilewise::cpu
