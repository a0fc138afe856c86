// gpu-assign-layouts: tile IR -> tile IR in which every block has a layout; conversions where two
// of them meet.
//
// NaturalLayouts.h decides where blocks live. This pass writes it down: it types the anchors and
// what loops carry, then asks for each of their operands in the layout they need. An operand that
// lives there already is taken; a free one is computed there again (once per layout, next to the
// original); any other is converted.
#include "target/Refusal.h"
#include "target/gpu/Machine.h"
#include "target/gpu/NaturalLayouts.h"
#include "target/gpu/Passes.h"
#include "target/gpu/RegisterPressure.h"
#include "target/gpu/SharedScratch.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "target/gpu/Passes.h.inc"

namespace {

/// More elements than this in one block do not fit the registers of any program.
constexpr int64_t kMaxElements = int64_t(1) << 20;

class Assigner {
public:
  Assigner(func::FuncOp kernel, const Machine &machine, Team team) : kernel_(kernel), natural_(kernel, machine, team) {}

  LogicalResult run() {
    decide();
    for (auto [value, layout] : decisions_)
      value.setType(withLayout(value.getType(), layout));
    SmallVector<Operation *> originals;
    kernel_.walk([&](Operation *op) { originals.push_back(op); });
    for (Operation *op : originals)
      if (failed(rewire(op)))
        return failure();
    return eraseUnused(originals);
  }

private:
  /// The layout of every block that cannot be computed anew: results of anchors, what regions
  /// carry. Before any type changes.
  void decide() {
    auto note = [&](Value value) {
      if (!isBlock(value.getType()))
        return;
      LayoutAttr layout = natural_.of(value);
      decisions_.push_back({value, layout ? layout : natural_.fallback(tile::shapeOf(value.getType()))});
    };
    kernel_.walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (isAnchor(op) || isa<RegionBranchOpInterface>(op))
          note(result);
        else if (isBlock(result.getType()))
          naturalOf_[result] = natural_.of(result);
      for (Region &region : op->getRegions())
        if (op != kernel_.getOperation())
          for (Block &block : region)
            for (Value argument : block.getArguments())
              note(argument);
    });
    for (auto [value, layout] : decisions_)
      naturalOf_[value] = layout;
  }

  /// The value in this layout.
  Value get(Value value, LayoutAttr layout) {
    if (!isBlock(value.getType()) || layoutAttrOf(value.getType()) == layout)
      return value;
    Value &made = made_[{value, layout}];
    if (made)
      return made;
    LayoutAttr natural = naturalOf_.lookup(value);
    Value result;
    Operation *maker = value.getDefiningOp();
    // What is converted is what a cast to a wider type casts: half of the registers and of shared
    // memory's traffic, or less.
    if (natural && natural != layout && !isDotOperand_ && maker && widens(maker)) {
      result = computeIn(maker, layout);
    } else if (natural && natural != layout) {
      Value source = get(value, natural);
      OpBuilder builder = after(source);
      result = builder.create<ConvertLayoutOp>(value.getLoc(), withLayout(value.getType(), layout), source);
    } else {
      result = computeIn(maker, layout);
    }
    // Recursion may have grown the map: the reference is no longer good.
    return made_[{value, layout}] = result;
  }

  static OpBuilder after(Value value) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return builder;
  }

  Value computeIn(Operation *op, LayoutAttr layout) {
    LinearLayout bits = layout.layout();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      LayoutAttr wanted = layout;
      if (tile::onlyReshapes(op)) {
        wanted = attr(bits.reshaped(tile::shapeOf(operand.getType())));
      } else if (auto permute = dyn_cast<tile::PermuteOp>(op)) {
        SmallVector<int32_t, 4> inverse(permute.getOrder().size());
        for (auto [to, from] : llvm::enumerate(permute.getOrder()))
          inverse[from] = to;
        wanted = attr(permuted(bits, inverse));
      } else if (isa<tile::BroadcastOp>(op)) {
        LinearLayout narrow = bits;
        for (auto [dim, extent] : llvm::enumerate(tile::shapeOf(operand.getType())))
          if (extent != bits.shape()[dim])
            narrow = narrow.withUnitDim(dim);
        wanted = attr(narrow);
      }
      operands.push_back(get(operand, wanted));
    }
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    Type type = withLayout(op->getResult(0).getType(), layout);
    clone->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(elements.isSplat() ? elements.resizeSplat(cast<ShapedType>(type))
                                               : elements.reshape(cast<ShapedType>(type)));
    }
    return clone->getResult(0);
  }

  LayoutAttr attr(const LinearLayout &layout) { return LayoutAttr::get(kernel_.getContext(), layout); }

  void demand(OpOperand &operand, LayoutAttr layout) { operand.set(get(operand.get(), layout)); }
  void demandLike(OpOperand &operand, Value like) {
    if (isBlock(like.getType()))
      demand(operand, layoutAttrOf(like.getType()));
  }

  LogicalResult rewire(Operation *op) {
    if (isAnchor(op)) {
      // Decided before any operand moves: where one lives now says where it is wanted.
      SmallVector<LayoutAttr> wanted;
      for (OpOperand &operand : op->getOpOperands())
        wanted.push_back(isBlock(operand.get().getType()) ? wantedAt(operand) : LayoutAttr());
      for (auto [operand, layout] : llvm::zip(op->getOpOperands(), wanted)) {
        isDotOperand_ = isa<tile::DotOp>(op);
        if (layout)
          demand(operand, layout);
        isDotOperand_ = false;
      }
      if ((tile::isLoad(op) || tile::isStore(op)) && isBlock(op->getOperand(0).getType()))
        noteVector(op);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument] : llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs()))
        demandLike(init, argument);
      for (auto [yielded, argument] : llvm::zip(*loop.getYieldedValuesMutable(), loop.getRegionIterArgs()))
        demandLike(yielded, argument);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [init, argument] : llvm::zip(loop.getInitsMutable(), loop.getBeforeArguments()))
        demandLike(init, argument);
      for (auto [yielded, argument] : llvm::zip(loop.getYieldOp()->getOpOperands(), loop.getBeforeArguments()))
        demandLike(yielded, argument);
      for (auto [passed, argument] : llvm::zip(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments()))
        demandLike(passed, argument);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          for (auto [yielded, result] : llvm::zip(region->front().getTerminator()->getOpOperands(), op->getResults()))
            demandLike(yielded, result);
    } else if (!isFree(op) && !op->hasTrait<OpTrait::IsTerminator>()) {
      if (llvm::any_of(op->getOperandTypes(), isBlock) || llvm::any_of(op->getResultTypes(), isBlock))
        return refuse(op, "GPU");
    }
    return success();
  }

  /// A dot by FMAs, a print, and what goes through shared memory take operands from wherever they
  /// live.
  LayoutAttr wantedAt(OpOperand &operand) {
    Operation *op = operand.getOwner();
    unsigned index = operand.getOperandNumber();
    auto dot = dyn_cast<tile::DotOp>(op);
    const bool isSource = index == 0 && goesThroughShared(op) && !op->hasTrait<OpTrait::SameOperandsAndResultType>();
    if (!(dot && index < 2) && !isSource && !isa<tile::PrintOp>(op))
      return natural_.at(op);
    if (LayoutAttr wanted = dot ? natural_.dotOperandAt(dot, index) : LayoutAttr())
      return wanted;
    LayoutAttr layout = naturalOf_.lookup(operand.get());
    return layout ? layout : natural_.fallback(tile::shapeOf(operand.get().getType()));
  }

  void noteVector(Operation *access) {
    unsigned vector = natural_.vectorOf(access);
    Builder builder(access->getContext());
    if (vector > 1)
      access->setAttr(GpuDialect::kVectorAttr, builder.getI32IntegerAttr(vector));
    if (vector > 1 && natural_.hasUniformMask(access))
      access->setAttr(GpuDialect::kUniformMaskAttr, builder.getUnitAttr());
  }

  static LogicalResult eraseUnused(ArrayRef<Operation *> originals) {
    for (Operation *op : llvm::reverse(originals)) {
      bool withoutLayout = llvm::any_of(
          op->getResults(), [](Value result) { return isBlock(result.getType()) && !layoutAttrOf(result.getType()); });
      if (!withoutLayout)
        continue;
      if (!op->use_empty())
        return op->emitOpError("is used where its block has no layout");
      op->erase();
    }
    return success();
  }

  func::FuncOp kernel_;
  NaturalLayouts natural_;
  SmallVector<std::pair<Value, LayoutAttr>> decisions_;
  DenseMap<Value, LayoutAttr> naturalOf_;
  DenseMap<std::pair<Value, Attribute>, Value> made_;
  /// Dots have ways of their own to get operands, which begin at a conversion (PlaceCopies.cpp).
  bool isDotOperand_ = false;
};

/// What no layout can be chosen for. Layouts are maps over bits, so extents must be powers of two.
LogicalResult checkBlocks(func::FuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto block = dyn_cast<RankedTensorType>(type);
      if (!block)
        continue;
      for (int64_t extent : block.getShape())
        if (!llvm::isPowerOf2_64(extent)) {
          kernelError(op) << "a GPU engine needs extents that are powers of two, got a block of extent " << extent;
          return WalkResult::interrupt();
        }
      if (block.getNumElements() > kMaxElements) {
        kernelError(op) << "a block of " << block.getNumElements()
                        << " elements is too large: a GPU engine takes at most " << kMaxElements;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp kernel = tile::kernelOf(module);
    if (!kernel) {
      module.emitError("has no tile.kernel");
      return signalPassFailure();
    }
    std::unique_ptr<Machine> target = makeMachine(machine);
    if (!target) {
      module.emitError("there is no machine '") << machine << "'";
      return signalPassFailure();
    }
    if (!llvm::isPowerOf2_32(numWarps) || numWarps > target->maxWarps()) {
      launchError(kernel) << "num_warps must be a power of two up to " << target->maxWarps() << ", got "
                          << numWarps.getValue();
      return signalPassFailure();
    }
    Builder builder(&getContext());
    module->setAttr(GpuDialect::kNumWarpsAttr, builder.getI32IntegerAttr(numWarps));
    module->setAttr(GpuDialect::kMachineAttr, builder.getStringAttr(machine));
    Team team{target->laneBits(), llvm::Log2_32(numWarps)};
    if (failed(checkBlocks(kernel)) || failed(Assigner(kernel, *target, team).run()))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewise::gpu
