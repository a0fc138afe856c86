// Where each block of a kernel wants to live: anchors first, then what follows from them.
#include "target/nvidia/NaturalLayouts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::nv {

/// The widest access of one thread.
static constexpr int64_t kVectorBytes = 16;

static Value pointerOf(Operation *access) { return access->getOperand(0); }

NaturalLayouts::NaturalLayouts(func::FuncOp kernel, unsigned numWarps)
    : context_(kernel.getContext()), numWarps_(numWarps) {
  readAccesses(kernel);
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp>(op) && isBlock(op->getResult(0).getType()))
      anchors_[op] = memoryLayoutFor(op, tile::shapeOf(op->getResult(0).getType()));
    else if (auto dot = dyn_cast<tile::DotOp>(op))
      anchors_[op] = attr(dotLayout(tile::shapeOf(dot.getType()), numWarps_));
  });
  // In program order, so that a reduce of a reduce finds its source decided.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      LayoutAttr layout;
      for (Value source : reduce.getSources())
        layout = layout ? layout : of(source);
      anchors_[op] = layout ? layout : fallback(tile::shapeOf(reduce.getSources().front().getType()));
      free_.clear();
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      chooseStoreLayout(store);
    }
  });
}

void NaturalLayouts::readAccesses(func::FuncOp kernel) {
  tile::AccessInference inference(kernel);
  kernel.walk([&](Operation *op) {
    tile::StructuredAccess access;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      access = inference.access(load);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      access = inference.access(store);
    if (access.shape.empty())
      return;
    Access &kept = accesses_[op];
    kept.contiguousDim = access.contiguousDim;
    kept.maskConstancy = access.maskConstancy;
    int64_t bytes = elementBytes(access.element);
    if (access.contiguousDim)
      kept.vector = llvm::bit_floor(uint64_t(
          std::max<int64_t>(1, std::min({access.contiguity, access.alignment / bytes, kVectorBytes / bytes}))));
    if (access.contiguousDim) {
      unsigned &widest = groups_[{llvm::to_vector(access.shape), *access.contiguousDim}];
      widest = std::max(widest, kept.vector);
    }
  });
}

LayoutAttr NaturalLayouts::fallback(ArrayRef<int64_t> shape) const {
  // Any group of this shape is better than none: the block will meet its members.
  for (const auto &[key, vector] : groups_)
    if (ArrayRef<int64_t>(key.first) == shape)
      return attr(memoryLayout(shape, {key.second, vector}, numWarps_));
  return attr(memoryLayout(shape, {unsigned(shape.size() - 1), 1}, numWarps_));
}

LayoutAttr NaturalLayouts::memoryLayoutFor(Operation *access, ArrayRef<int64_t> shape) const {
  const Access &facts = accesses_.find(access)->second;
  if (!facts.contiguousDim)
    return fallback(shape);
  unsigned vector = groups_.find({llvm::to_vector(shape), *facts.contiguousDim})->second;
  return attr(memoryLayout(shape, {*facts.contiguousDim, vector}, numWarps_));
}

void NaturalLayouts::chooseStoreLayout(tile::StoreOp store) {
  if (!isBlock(store.getValue().getType()))
    return;
  const Access &facts = accesses_.find(store)->second;
  LayoutAttr natural = of(store.getValue());
  if (natural && facts.contiguousDim) {
    // Eight bytes per thread fill lines well enough; going through shared memory for sixteen costs more than it gives.
    unsigned held = 1u << vectorBits(natural.layout(), *facts.contiguousDim);
    unsigned bytes = elementBytes(tile::elementTypeOf(store.getValue().getType()));
    if (held >= facts.vector || held * bytes >= 8) {
      anchors_[store] = natural;
      return;
    }
  } else if (natural) {
    anchors_[store] = natural;
    return;
  }
  anchors_[store] = memoryLayoutFor(store, tile::shapeOf(store.getValue().getType()));
}

unsigned NaturalLayouts::vectorOf(Operation *access) const {
  const Access &facts = accesses_.find(access)->second;
  Type element = tile::elementTypeOf(pointerOf(access).getType());
  if (!facts.contiguousDim || cast<tile::PtrType>(element).getPointee().isInteger(1))
    return 1;
  return std::min(facts.vector, 1u << vectorBits(at(access).layout(), *facts.contiguousDim));
}

bool NaturalLayouts::hasUniformMask(Operation *access) const {
  return accesses_.find(access)->second.maskConstancy >= vectorOf(access);
}

LayoutAttr NaturalLayouts::of(Value block) {
  if (!isBlock(block.getType()) || free_.contains(block) || inProgress_.contains(block))
    return {};
  if (auto found = known_.find(block); found != known_.end())
    return found->second;
  LayoutAttr layout = compute(block);
  if (layout)
    known_[block] = layout;
  else
    free_.insert(block);
  return layout;
}

LayoutAttr NaturalLayouts::compute(Value block) {
  if (auto argument = dyn_cast<BlockArgument>(block)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return ofCarried(block, {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()});
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned index = argument.getArgNumber();
      if (argument.getOwner() == loop.getBeforeBody())
        return ofCarried(block, {loop.getInits()[index], loop.getYieldOp().getOperand(index)});
      return ofCarried(block, {loop.getConditionOp().getArgs()[index]});
    }
    return {};
  }
  Operation *op = block.getDefiningOp();
  unsigned index = cast<OpResult>(block).getResultNumber();
  if (isa<tile::LoadOp, tile::DotOp>(op))
    return at(op);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    LayoutAttr source = at(op);
    return source ? attr(source.layout().withoutDim(reduce.getAxis())) : LayoutAttr();
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    LayoutAttr source = of(expand.getSource());
    return source ? attr(source.layout().reshaped(tile::shapeOf(expand.getType()))) : LayoutAttr();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return of(loop.getRegionIterArg(index));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return of(loop.getAfterArguments()[index]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return ofCarried(block, {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)});
  if (!isElementwise(op))
    return {};
  for (Value operand : op->getOperands())
    if (LayoutAttr layout = of(operand))
      return layout;
  return {};
}

LayoutAttr NaturalLayouts::ofCarried(Value block, ArrayRef<Value> sources) {
  inProgress_.insert(block);
  LayoutAttr layout;
  for (Value source : sources)
    layout = layout ? layout : of(source);
  if (!layout)
    layout = wantedByUses(block);
  if (!layout)
    layout = fallback(tile::shapeOf(block.getType()));
  inProgress_.erase(block);
  // What was found free while this was open may follow from it.
  free_.clear();
  return layout;
}

LayoutAttr NaturalLayouts::wantedByUses(Value block) {
  SmallVector<Value> open{block};
  llvm::DenseSet<Value> seen{block};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (LayoutAttr layout = at(user);
          layout && layout.getShape() == tile::shapeOf(block.getType()) && !isa<tile::DotOp>(user))
        return layout;
      if (isElementwise(user) && isBlock(user->getResult(0).getType()) && seen.insert(user->getResult(0)).second)
        open.push_back(user->getResult(0));
    }
  }
  return {};
}

} // namespace tilewise::nv
