// Where each block of a kernel wants to live: anchors first, then what follows from them.
#include "target/gpu/NaturalLayouts.h"

#include "target/gpu/MatrixInstruction.h"
#include "target/gpu/TileForm.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

/// The widest access of one thread.
static constexpr int64_t kVectorBytes = 16;

static Value pointerOf(Operation *access) { return access->getOperand(0); }

NaturalLayouts::NaturalLayouts(func::FuncOp kernel, const Machine &machine, Team team)
    : context_(kernel.getContext()), machine_(machine), team_(team) {
  readAccesses(kernel);
  kernel.walk([&](Operation *op) {
    if (tile::isLoad(op) && isBlock(op->getResult(0).getType()))
      anchors_[op] = memoryLayoutFor(op, tile::shapeOf(op->getResult(0).getType()));
    else if (auto dot = dyn_cast<tile::DotOp>(op))
      anchors_[op] = dotLayoutFor(dot);
  });
  // In program order, so that a reduce of a reduce finds its source decided.
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (LayoutAttr layout = anchorFor(op)) {
      anchors_[op] = layout;
      // What was found free before may follow from it.
      free_.clear();
    }
  });
}

bool isFree(Operation *op) {
  return isElementwise(op) || op->hasTrait<OpTrait::ConstantLike>() || isa<tile::RangeOp, tile::MovesElements>(op);
}

bool isAnchor(Operation *op) {
  if (!isa<tile::TileDialect, GpuDialect>(op->getDialect()) || isFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return llvm::any_of(op->getOperandTypes(), isBlock) || llvm::any_of(op->getResultTypes(), isBlock);
}

/// Whether what comes of the dot is combined along its rows: by a reduction, or as the left operand
/// of another dot.
static bool isUsedByRows(tile::DotOp dot) {
  SmallVector<Value> open{dot.getResult()};
  llvm::DenseSet<Value> seen{dot.getResult()};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto reduce = dyn_cast<tile::ReduceOp>(user);
          reduce && reduce.getAxis() + 1 == tile::shapeOf(value.getType()).size())
        return true;
      if (isa<tile::DotOp>(user) && use.getOperandNumber() == 0)
        return true;
      if (isElementwise(user) && seen.insert(user->getResult(0)).second)
        open.push_back(user->getResult(0));
    }
  }
  return false;
}

LayoutAttr NaturalLayouts::dotLayoutFor(tile::DotOp dot) const {
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  auto name = dot->getAttrOfType<StringAttr>(GpuDialect::kMmaAttr);
  if (!name)
    return attr(dotLayout(shape, team_));
  WarpSplit split = isUsedByRows(dot) ? WarpSplit::Rows : WarpSplit::Square;
  return attr(accumulatorLayout(shape, *machine_.matrixInstruction(name), team_, split));
}

/// Whether a left operand had better be read from shared memory: it was loaded, or is the same in
/// every iteration of the dot's loop.
static bool comesFromMemory(tile::DotOp dot, unsigned index) {
  Value operand = dot->getOperand(index);
  while (auto permute = operand.getDefiningOp<tile::PermuteOp>())
    operand = permute.getSource();
  if (operand.getDefiningOp<tile::LoadOp>())
    return true;
  auto loop = dot->getParentOfType<LoopLikeOpInterface>();
  return loop && loop.isDefinedOutsideOfLoop(operand);
}

bool NaturalLayouts::isReadAsItLies(tile::DotOp dot, unsigned index, const MatrixInstruction &instruction) const {
  Value operand = dot->getOperand(index);
  auto block = cast<RankedTensorType>(operand.getType());
  bool isTransposed = false;
  while (auto permute = operand.getDefiningOp<tile::PermuteOp>()) {
    isTransposed ^= permute.getOrder()[0] == 1;
    operand = permute.getSource();
  }
  auto load = operand.getDefiningOp<tile::LoadOp>();
  if (!load)
    return true;
  unsigned dim = accesses_.find(load)->second.contiguousDim.value_or(1);
  TileType form = TileForm::typeFor(block.getShape(), block.getElementType(), isTransposed ? 1 - dim : dim);
  return !form || machine_.canMultiply(instruction, form, index);
}

LayoutAttr NaturalLayouts::dotOperandAt(tile::DotOp dot, unsigned index) const {
  auto name = dot->getAttrOfType<StringAttr>(GpuDialect::kMmaAttr);
  if (!name)
    return {};
  MatrixInstruction instruction = *machine_.matrixInstruction(name);
  if (instruction.isAsynchronous &&
      (index == 1 || (comesFromMemory(dot, index) && isReadAsItLies(dot, index, instruction))))
    return {};
  ArrayRef<int64_t> shape = tile::shapeOf(dot->getOperand(index).getType());
  LinearLayout accumulators = at(dot).layout();
  return attr(index == 0 ? leftLayout(shape, instruction, accumulators)
                         : rightLayout(shape, instruction, accumulators));
}

LayoutAttr NaturalLayouts::anchorFor(Operation *op) {
  if (!isAnchor(op) || isa<tile::LoadOp, tile::DotOp>(op))
    return {};
  return llvm::TypeSwitch<Operation *, LayoutAttr>(op)
      .Case<tile::StoreOp>([&](auto store) { return storeLayout(store); })
      .Case<tile::SplitOp>([&](auto split) { return splitLayout(split); })
      .Case<tile::ScanOp>([&](auto scan) { return scanLayout(scan); })
      .Case<tile::MapOp, tile::InlineAsmOp>([&](auto packed) { return packedLayout(op, packed.getPack()); })
      .Case<tile::GatherOp>([&](auto gather) {
        LayoutAttr natural = of(gather.getIndices());
        return natural ? natural : fallback(tile::shapeOf(gather.getType()));
      })
      .Case<tile::JoinOp>([&](auto join) {
        // Two scalars are laid out as a block without dimensions: every thread has them.
        LinearLayout everywhere({}, {}, LinearLayout::Bases(team_.laneBits, 0), LinearLayout::Bases(team_.warpBits, 0));
        return isBlock(join.getLhs().getType()) ? commonLayout(op) : attr(everywhere);
      })
      .Default([&](Operation *) { return commonLayout(op); });
}

LayoutAttr NaturalLayouts::commonLayout(Operation *op) {
  Value block;
  // The value of a store or an atomic tells more than its pointers, which are free more often than
  // not.
  for (Value operand : llvm::reverse(op->getOperands())) {
    if (!isBlock(operand.getType()))
      continue;
    block = operand;
    if (LayoutAttr layout = of(operand))
      return layout;
  }
  if (!block && op->getNumResults() && isBlock(op->getResult(0).getType()))
    block = op->getResult(0);
  return block ? fallback(tile::shapeOf(block.getType())) : LayoutAttr();
}

LayoutAttr NaturalLayouts::splitLayout(tile::SplitOp split) {
  LayoutAttr natural = of(split.getSource());
  if (natural && hasPairs(natural.layout()))
    return natural;
  ArrayRef<int64_t> half = tile::shapeOf(split.getSource().getType()).drop_back();
  if (half.empty()) {
    LinearLayout everywhere({}, {}, LinearLayout::Bases(team_.laneBits, 0), LinearLayout::Bases(team_.warpBits, 0));
    return attr(withPairs(everywhere));
  }
  return attr(withPairs(fallback(half).layout()));
}

LayoutAttr NaturalLayouts::scanLayout(tile::ScanOp scan) {
  for (Value source : scan.getSources())
    if (LayoutAttr natural = of(source); natural && axisBits(natural.layout(), scan.getAxis()))
      return natural;
  // Four neighbours in each thread: three of four combinations need no other lane.
  return attr(memoryLayout(tile::shapeOf(scan.getSources().front().getType()), {scan.getAxis(), 4}, team_));
}

LayoutAttr NaturalLayouts::packedLayout(Operation *op, unsigned pack) {
  LayoutAttr common = commonLayout(op);
  if (!common || pack == 1)
    return common;
  LinearLayout layout = common.layout();
  ArrayRef<uint32_t> registers = layout.bases(Level::Register);
  bool isPacked = registers.size() >= llvm::Log2_32(pack);
  for (unsigned bit = 0; isPacked && bit < llvm::Log2_32(pack); ++bit)
    isPacked = registers[bit] == uint32_t(1) << bit;
  if (isPacked)
    return common;
  return attr(memoryLayout(layout.shape(), {unsigned(layout.shape().size() - 1), pack, /*least=*/pack}, team_));
}

LayoutAttr NaturalLayouts::resultAt(OpResult result) const {
  Operation *op = result.getOwner();
  LayoutAttr anchor = at(op);
  if (!anchor || !isBlock(result.getType()))
    return {};
  return llvm::TypeSwitch<Operation *, LayoutAttr>(op)
      .Case<tile::ReduceOp>([&](auto reduce) { return attr(anchor.layout().withoutDim(reduce.getAxis())); })
      .Case<tile::SplitOp>([&](auto) { return attr(anchor.layout().withoutDim(anchor.getShape().size() - 1)); })
      .Case<tile::JoinOp>([&](auto) { return attr(withPairs(anchor.layout())); })
      .Default([&](Operation *) {
        ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
        return anchor.getShape() == shape ? anchor : fallback(shape);
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
      return attr(memoryLayout(shape, {key.second, vector}, team_));
  return attr(memoryLayout(shape, {unsigned(shape.size() - 1), 1}, team_));
}

LayoutAttr NaturalLayouts::memoryLayoutFor(Operation *access, ArrayRef<int64_t> shape) const {
  const Access &facts = accesses_.find(access)->second;
  if (!facts.contiguousDim)
    return fallback(shape);
  unsigned vector = groups_.find({llvm::to_vector(shape), *facts.contiguousDim})->second;
  return attr(memoryLayout(shape, {*facts.contiguousDim, vector}, team_));
}

LayoutAttr NaturalLayouts::storeLayout(tile::StoreOp store) {
  if (!isBlock(store.getValue().getType()))
    return {};
  const Access &facts = accesses_.find(store)->second;
  LayoutAttr natural = of(store.getValue());
  if (natural && facts.contiguousDim) {
    // Eight bytes per thread fill lines well enough; going through shared memory for sixteen costs
    // more than it gives.
    unsigned held = 1u << vectorBits(natural.layout(), *facts.contiguousDim);
    unsigned bytes = elementBytes(tile::elementTypeOf(store.getValue().getType()));
    if (held >= facts.vector || held * bytes >= 8)
      return natural;
    ArrayRef<int64_t> shape = natural.getShape();
    unsigned vector = groups_.find({llvm::to_vector(shape), *facts.contiguousDim})->second;
    if (auto near = memoryLayoutWithin(natural.layout(), {*facts.contiguousDim, vector}, bytes))
      return attr(*near);
  } else if (natural) {
    return natural;
  }
  return memoryLayoutFor(store, tile::shapeOf(store.getValue().getType()));
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
  if (isAnchor(op))
    return resultAt(cast<OpResult>(block));
  if (tile::onlyReshapes(op)) {
    LayoutAttr source = of(op->getOperand(0));
    return source ? attr(source.layout().reshaped(tile::shapeOf(block.getType()))) : LayoutAttr();
  }
  if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
    LayoutAttr source = of(permute.getSource());
    return source ? attr(permuted(source.layout(), permute.getOrder())) : LayoutAttr();
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

} // namespace tilewise::gpu
