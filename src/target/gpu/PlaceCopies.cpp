// gpu-place-copies: operands of matrix instructions go to shared memory, straight from global
// memory where a loop loads them.
//
// A block that a loop loads and only dots use need not pass through registers: the loop copies it
// into a slot of a ring and takes it from there,
//
//     %a = tile.load %pointers mask %mask          %slot = gpu.slot %ring[%filled]
//                                          ->      gpu.fill %slot, %pointers mask %mask
//                                                  gpu.commit
//                                                  gpu.await 0
//                                                  %a = gpu.slot %ring[%taken]
//
// where %filled and %taken count the iterations. Here both are the same; gpu-pipeline-loops lets
// the first run ahead, for which the ring gets slots. A dot by an asynchronous instruction becomes
// a gpu.mma on tiles; others read their operands from the slot into registers.
//
// Where the block is a box of a tensor (TensorBox.h) and the machine has an engine that copies
// such, one thread asks for it, and no thread computes addresses:
//
//                                                   gpu.fill_box %ring[%filled], %map at [%k, %m]
//                                                   gpu.await_box %ring[%taken]
//                                                   %a = gpu.slot %ring[%taken]
//
// So are boxes that no loop loads, or a loop loads for one inside of it: into a ring of one slot,
// asked for as early as it is known where they lie.
#include "artifact/Artifact.h"
#include "passes/Warn.h"
#include "target/gpu/DotOperands.h"
#include "target/gpu/Machine.h"
#include "target/gpu/MemoryRoots.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/TensorBox.h"
#include "target/gpu/TileAccess.h"
#include "target/gpu/TileForm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <tuple>
#include <vector>

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_PLACECOPIES
#include "target/gpu/Passes.h.inc"

namespace {

class Placer {
public:
  Placer(func::FuncOp kernel, const Machine &machine, unsigned numWarps, unsigned numStages, bool boxes)
      : kernel_(kernel), machine_(machine), numWarps_(numWarps), numStages_(numStages),
        boxes_(boxes && machine.hasBoxCopies()), operands_(kernel, machine) {}

  void run() {
    llvm::MapVector<Operation *, SmallVector<tile::LoadOp>> loops;
    SmallVector<tile::LoadOp> single;
    kernel_.walk([&](tile::LoadOp load) {
      if (!DotOperands::isForSomeDot(load))
        return;
      auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
      std::string why = operands_.whyNotCopied(load);
      if (!loop || !operands_.isForDots(load, /*isLocal=*/true)) {
        if (why.empty() && boxes_ && operands_.isForDots(load, /*isLocal=*/false))
          return single.push_back(load);
        why = loop ? "it is used by more than dots of the same iteration" : "";
      } else if (why.empty()) {
        return loops[loop].push_back(load);
      }
      if (!why.empty() && tile::wantsPerf(load))
        tile::warnPerf(load, "this load is not copied ahead into shared memory: " + why);
    });
    std::vector<Placement> placements;
    for (auto &[loop, loads] : loops)
      if (std::optional<Placement> placement = plan(cast<scf::ForOp>(loop), loads))
        placements.push_back(std::move(*placement));
    for (Placement &placement : placements)
      std::tie(placement.filled, placement.taken) = addCounters(placement.loop);
    tile::AccessInference inference(kernel_);
    for (Placement &placement : placements)
      place(placement, inference);
    for (tile::LoadOp load : single)
      placeSingle(load, inference);
    for (auto &[dot, instruction] : operands_.dots())
      if (instruction.isAsynchronous)
        multiply(dot, instruction);
      else
        readStepByStep(dot);
  }

private:
  /// Rings for a loop's loads.
  struct Placement {
    scf::ForOp loop;
    SmallVector<tile::LoadOp> loads;
    SmallVector<TileType> forms;
    /// Slots that there are, and that there would be with more room.
    unsigned slots = 1, wanted = 1;
    unsigned ahead = 0;
    Value filled, taken; ///< Iterations, counted for the copies and for those who read.
  };

  std::optional<Placement> plan(scf::ForOp loop, ArrayRef<tile::LoadOp> loads) {
    Placement placement{loop, SmallVector<tile::LoadOp>(loads), {}, 1, 1, 0, {}, {}};
    unsigned bytes = 0;
    for (tile::LoadOp load : loads) {
      placement.forms.push_back(DotOperands::formOf(load));
      bytes += TileForm(placement.forms.back()).stride();
    }
    // A ring has a slot for each iteration that its copies are ahead, one that is being read, and,
    // where an instruction may still be at work on it, the one that was read before.
    unsigned asked = aheadOf(loop), room = roomIn(loop, loads, bytes), most = room / bytes;
    unsigned spare = asynchronousDots(loop) ? 2 : 1;
    unsigned ahead = most > spare ? std::min(asked, most - spare) : 0;
    if (ahead < asked && tile::wantsPerf(loop)) {
      const int32_t shortage[] = {int32_t(ahead), int32_t(asked), int32_t(bytes), int32_t(room)};
      loop->setAttr(GpuDialect::kShortOfRoomAttr, DenseI32ArrayAttr::get(loop.getContext(), shortage));
    }
    if (most < 1)
      return std::nullopt;
    placement.ahead = ahead;
    placement.slots = ahead ? ahead + spare : 1;
    placement.wanted = asked ? asked + spare : 1;
    return placement;
  }

  void place(Placement &placement, tile::AccessInference &inference) {
    OpBuilder builder(placement.loop);
    if (placement.ahead)
      placement.loop->setAttr(GpuDialect::kAheadAttr, builder.getI32IntegerAttr(placement.ahead));
    for (auto [load, form] : llvm::zip(placement.loads, placement.forms)) {
      Location loc = load.getLoc();
      std::optional<TensorBox> box = boxes_ ? findBox(load, form, placement.filled, inference) : std::nullopt;
      builder.setInsertionPoint(placement.loop);
      auto ring = builder.create<RingOp>(loc, RingType::get(builder.getContext(), placement.slots, form), bool(box));
      if (placement.wanted > placement.slots)
        ring->setAttr(GpuDialect::kWantedSlotsAttr, builder.getI32IntegerAttr(placement.wanted));
      builder.setInsertionPoint(load);
      if (box) {
        fillBox(builder, loc, form, *box, ring, placement.filled);
        builder.create<AwaitBoxOp>(loc, ring, placement.taken, Value());
      } else {
        Value target = builder.create<SlotOp>(loc, form, ring, placement.filled);
        auto fill = builder.create<FillOp>(loc, target, load.getPointer(), load.getMask(), Value());
        for (StringRef name : {GpuDialect::kVectorAttr, GpuDialect::kUniformMaskAttr})
          if (Attribute attribute = load->getAttr(name))
            fill->setAttr(name, attribute);
        builder.create<CommitOp>(loc);
        builder.create<AwaitOp>(loc, 0);
      }
      Value tile = builder.create<SlotOp>(loc, form, ring, placement.taken);
      replaceUses(load, tile);
      load.erase();
    }
  }

  void placeSingle(tile::LoadOp load, tile::AccessInference &inference) {
    TileType form = DotOperands::formOf(load);
    std::optional<TensorBox> box = findBox(load, form, /*counter=*/Value(), inference);
    if (!box)
      return;
    Location loc = load.getLoc();
    OpBuilder builder(earliest(load, *box));
    Value first = builder.create<arith::ConstantIntOp>(loc, 0, 32);
    Value ring = builder.create<RingOp>(loc, RingType::get(builder.getContext(), 1, form), /*signalled=*/true);
    fillBox(builder, loc, form, *box, ring, first);
    builder.setInsertionPoint(load);
    builder.create<AwaitBoxOp>(loc, ring, first, Value());
    replaceUses(load, builder.create<SlotOp>(loc, form, ring, first));
    load.erase();
  }

  /// The first op that a box can be asked for in front of: what tells its place is there, memory is
  /// as the load finds it, and no loop is between them that has use for the room.
  static Operation *earliest(tile::LoadOp load, const TensorBox &box) {
    llvm::SmallPtrSet<Operation *, 8> needed;
    auto need = [&](const tile::ScalarExpr &expr) {
      for (const tile::ScalarTerm &term : expr.terms())
        for (Value factor : term.factors)
          needed.insert(factor.getDefiningOp());
    };
    for (const TensorBox::Dim &dim : box.dims)
      need(dim.at);
    llvm::for_each(box.positives, need);
    for (Value condition : box.conditions)
      needed.insert(condition.getDefiningOp());
    Operation *place = load;
    while (Operation *before = place->getPrevNode()) {
      // What a volatile load gives may say that others have written what is copied.
      auto load = dyn_cast<tile::LoadOp>(before);
      if (needed.contains(before) || before->getNumRegions() || tile::changesMemory(before) ||
          (load && load.getIsVolatile()))
        break;
      place = before;
    }
    return place;
  }

  std::optional<TensorBox> findBox(tile::LoadOp load, TileType form, Value counter, tile::AccessInference &inference) {
    std::string why = "the kernel has too many of them";
    std::optional<TensorBox> box;
    if (Value root = rootOf(load.getPointer()); !root || isWritten(root))
      why = "the kernel may write what it reads";
    else if (tensorMaps_.size() < LaunchPlan::kMostTensorMaps)
      box = boxOf(load, form.getMinor(), counter, inference, why);
    if (!box && tile::wantsPerf(load))
      tile::warnPerf(load, "threads copy this load, not the GPU's copy engine: " + why);
    return box;
  }

  /// Whether the kernel changes memory that may be an argument's: the copy engine sees such a
  /// change only behind a fence of its own.
  bool isWritten(Value root) { return mayChange(kernel_, root); }

  void fillBox(OpBuilder &builder, Location loc, TileType form, const TensorBox &box, Value ring, Value n) {
    Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
    Value inside;
    auto require = [&](Value condition) {
      inside = inside ? builder.create<arith::AndIOp>(loc, inside, condition) : condition;
    };
    for (Value condition : box.conditions)
      require(condition);
    for (const tile::ScalarExpr &expr : box.positives)
      require(builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, tile::materialize(builder, loc, expr, i64),
                                            builder.create<arith::ConstantIntOp>(loc, 0, 64)));
    SmallVector<Value> at;
    for (const TensorBox::Dim &dim : box.dims)
      at.push_back(tile::materialize(builder, loc, dim.at, i32));
    // One that begins as far in front of its tensor as the tile is wide ends there.
    const int64_t width = form.getShape()[form.getMinor()];
    if (inside)
      at[0] =
          builder.create<arith::SelectOp>(loc, inside, at[0], builder.create<arith::ConstantIntOp>(loc, -width, 32));
    builder.create<FillBoxOp>(loc, ring, n, mapFor(form, box), box.pointer, at, Value());
  }

  /// The kernel's argument that takes the map of a box's tensor.
  Value mapFor(TileType form, const TensorBox &box) {
    TileForm place(form);
    TensorMapPlan plan;
    plan.pointer = cast<BlockArgument>(box.pointer).getArgNumber();
    plan.elementBytes = elementBytes(form.getElement());
    plan.swizzleBytes = place.rowBytes();
    plan.offset = launchExpr(box.offset);
    plan.sizes.assign(box.sizes.begin(), box.sizes.end());
    for (const TensorBox::Dim &dim : box.dims) {
      TensorMapPlan::Dim planned;
      planned.stride = launchExpr(dim.stride);
      for (const tile::ScalarExpr &extent : dim.extents)
        planned.extents.push_back(launchExpr(extent));
      planned.box = plan.dims.empty()       ? place.rowBytes() / plan.elementBytes
                    : plan.dims.size() == 1 ? place.boxRows()
                                            : 1;
      plan.dims.push_back(std::move(planned));
    }
    Value &map = tensorMaps_[plan.encode()];
    if (!map) {
      unsigned index = kernel_.getNumArguments();
      kernel_.insertArgument(index, MapType::get(kernel_.getContext()), {}, kernel_.getLoc());
      map = kernel_.getArgument(index);
      SmallVector<Attribute> plans;
      ModuleOp module = kernel_->getParentOfType<ModuleOp>();
      if (auto known = module->getAttrOfType<ArrayAttr>(GpuDialect::kTensorMapsAttr))
        llvm::append_range(plans, known);
      plans.push_back(DenseI64ArrayAttr::get(module.getContext(), plan.encode()));
      module->setAttr(GpuDialect::kTensorMapsAttr, ArrayAttr::get(module.getContext(), plans));
    }
    return map;
  }

  /// Those who convert the block read it from the tile instead; asynchronous dots will find the
  /// tile.
  void replaceUses(Operation *op, Value tile) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      OpBuilder builder(user);
      if (isTransposition(user)) {
        replaceUses(user,
                    builder.create<TransposeOp>(user->getLoc(), transposed(cast<TileType>(tile.getType())), tile));
        user->erase();
      } else if (auto convert = dyn_cast<ConvertLayoutOp>(user)) {
        convert.replaceAllUsesWith(Value(builder.create<ReadOp>(convert.getLoc(), convert.getType(), tile)));
        convert.erase();
      } else {
        for (OpOperand &operand : user->getOpOperands())
          if (operand.get() == op->getResult(0))
            tiles_[&operand] = tile;
        user->replaceUsesOfWith(op->getResult(0), placeholder(op->getResult(0).getType()));
      }
    }
  }

  /// Stands for an operand that the dot takes from a tile, until the dot is replaced.
  Value placeholder(Type type) {
    OpBuilder builder(&kernel_.getBody().front(), kernel_.getBody().front().begin());
    auto constant = builder.create<arith::ConstantOp>(kernel_.getLoc(), builder.getZeroAttr(type));
    placeholders_.push_back(constant);
    return constant;
  }

  /// Whether an operand lies where the instruction takes it from registers.
  static bool isInRegisters(const DotOperands::Dot &dot, OpOperand &operand) {
    LinearLayout layout = layoutOf(operand.get().getType());
    return operand.getOperandNumber() == 0 &&
           layout == leftLayout(layout.shape(), dot.instruction, layoutOf(dot.op.getType()));
  }

  unsigned asynchronousDots(scf::ForOp loop) const {
    return llvm::count_if(operands_.dots(), [&](const DotOperands::Dot &dot) {
      return dot.instruction.isAsynchronous && loop->isProperAncestor(dot.op);
    });
  }

  unsigned aheadOf(scf::ForOp loop) const {
    auto asked = loop->getAttrOfType<IntegerAttr>("tile.num_stages");
    return std::max<int64_t>(asked ? asked.getInt() : numStages_, 1) - 1;
  }

  /// Shared memory that is left for rings of a loop, in bytes, of which an iteration copies so
  /// many.
  unsigned roomIn(scf::ForOp loop, ArrayRef<tile::LoadOp> loads, unsigned bytes) const {
    unsigned largest = 0, second = 0, staged = 0;
    loop.walk([&](Operation *op) {
      // What reads from a ring needs no scratch.
      auto convert = dyn_cast<ConvertLayoutOp>(op);
      if (convert && llvm::is_contained(loads, beforeTransposition(convert.getSource())))
        return;
      if (unsigned bytes = scratchBytes(op)) {
        second = std::max(second, std::min(bytes, largest));
        largest = std::max(largest, bytes);
      }
    });
    // Operands that are neither copied nor in registers are staged, those from before the loop as
    // well.
    llvm::SmallDenseSet<std::pair<Value, unsigned>> known;
    for (const DotOperands::Dot &dot : operands_.dots())
      for (OpOperand &operand : dot.op->getOpOperands().take_front(dot.instruction.isAsynchronous ? 2 : 0)) {
        Type type = operand.get().getType();
        if (!llvm::is_contained(loads, beforeTransposition(operand.get())) && !isInRegisters(dot, operand) &&
            isThereDuring(loop, operand) && known.insert({operand.get(), operand.getOperandNumber()}).second)
          staged += cast<RankedTensorType>(type).getNumElements() * elementBytes(tile::elementTypeOf(type));
      }
    unsigned taken =
        llvm::alignTo(largest, TileForm::kAlignment) + llvm::alignTo(second, TileForm::kAlignment) + staged;
    // The rings' signals.
    if (boxes_)
      taken += TileForm::kAlignment;
    unsigned limit = machine_.sharedLimit();
    if (taken > limit)
      return 0;
    // Where threads compute between two dots, another program on the multiprocessor fills the time:
    // few warps leave it room, if a ring of three slots allows.
    unsigned half = limit / 2;
    if (numWarps_ <= kFewWarps && asynchronousDots(loop) > 1 && taken + 3 * bytes <= half)
      limit = half;
    return limit - taken;
  }

  /// Whether an operand that is staged when it is there, and read by its dot, takes room while a
  /// loop runs: not one from behind the loop, nor one that was read before it.
  static bool isThereDuring(scf::ForOp loop, OpOperand &operand) {
    auto placeOf = [&](Operation *op) { return op ? loop->getBlock()->findAncestorOpInBlock(*op) : nullptr; };
    Operation *made = placeOf(operand.get().getDefiningOp()), *read = placeOf(operand.getOwner());
    return !(made && loop->isBeforeInBlock(made)) && !(read && read->isBeforeInBlock(loop));
  }

  /// Two numbers that a loop counts its iterations with. Replaces the loop.
  std::pair<Value, Value> addCounters(scf::ForOp &loop) {
    IRRewriter rewriter(loop);
    SmallVector<NamedAttribute> attributes(loop->getAttrs());
    Value zero = rewriter.create<arith::ConstantIntOp>(loop.getLoc(), 0, 32);
    auto next = [](OpBuilder &builder, Location loc, ArrayRef<BlockArgument> counters) {
      Value one = builder.create<arith::ConstantIntOp>(loc, 1, 32);
      SmallVector<Value> sums;
      for (Value counter : counters)
        sums.push_back(builder.create<arith::AddIOp>(loc, counter, one));
      return sums;
    };
    unsigned before = loop.getNumRegionIterArgs();
    auto replaced = loop.replaceWithAdditionalYields(rewriter, {zero, zero}, false, next);
    loop = cast<scf::ForOp>(replaced->getOperation());
    loop->setAttrs(attributes);
    return {loop.getRegionIterArg(before), loop.getRegionIterArg(before + 1)};
  }

  void multiply(tile::DotOp dot, const MatrixInstruction &instruction) {
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    Value a = operandOf(dot, instruction, 0), b = operandOf(dot, instruction, 1), acc = dot.getAcc();
    Type type = acc.getType(), element = tile::elementTypeOf(type);
    // A narrow sum is widened for the dot and rounded once.
    bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
    if (isNarrow)
      acc = builder.create<arith::ExtFOp>(loc, tile::withElementType(type, builder.getF32Type()), acc);
    Value begun = builder.create<MmaOp>(loc, acc.getType(), a, b, acc, builder.getStringAttr(instruction.name));
    Value done = builder.create<MmaWaitOp>(loc, begun.getType(), begun, 0);
    if (isNarrow)
      done = builder.create<arith::TruncFOp>(loc, type, done);
    dot.replaceAllUsesWith(done);
    dot.erase();
    for (Operation *&constant : placeholders_)
      if (constant && constant->use_empty()) {
        constant->erase();
        constant = nullptr;
      }
  }

  /// Operands that come through shared memory are put there as tiles, which the dot reads as it
  /// goes along: converted at once, a block of 64 x 64 halves would take 64 registers of every
  /// thread.
  void readStepByStep(tile::DotOp dot) {
    SmallVector<std::pair<ConvertLayoutOp, TileType>> tiles;
    unsigned bytes = 0;
    for (OpOperand &operand : dot->getOpOperands().take_front(2)) {
      auto convert = operand.get().getDefiningOp<ConvertLayoutOp>();
      if (!convert || !convert->hasOneUse() || convert->getBlock() != dot->getBlock() || !scratchBytes(convert))
        continue;
      if (TileType form = tileFor(convert, operand.getOperandNumber())) {
        tiles.push_back({convert, form});
        bytes += TileForm(form).stride();
      }
    }
    if (bytes > BlockScratch::kMostBytes)
      return;
    // Both are staged before either is read: nothing may stand between a read and its dot.
    OpBuilder builder(dot);
    SmallVector<Value> staged;
    for (auto [convert, form] : tiles) {
      builder.setInsertionPoint(stagingPlace(convert, dot));
      staged.push_back(builder.create<StageOp>(convert.getLoc(), form, convert.getSource()));
    }
    builder.setInsertionPoint(dot);
    for (auto [entry, tile] : llvm::zip(tiles, staged)) {
      ConvertLayoutOp convert = entry.first;
      convert.replaceAllUsesWith(Value(builder.create<ReadOp>(convert.getLoc(), convert.getType(), tile)));
      convert.erase();
    }
  }

  /// Where an operand is staged: as soon as it is there, which frees its registers; but not before
  /// another dot or a loop, so that no more than the two tiles of one dot are there at once.
  static Operation *stagingPlace(ConvertLayoutOp convert, tile::DotOp dot) {
    for (Operation *op = convert->getNextNode(); op != dot; op = op->getNextNode())
      if (isa<tile::DotOp>(op) || op->getNumRegions() != 0)
        return dot;
    return convert;
  }

  /// Rows as threads hold them; along k where only such rows can be read as matrices.
  static TileType tileFor(ConvertLayoutOp convert, unsigned index) {
    auto block = cast<RankedTensorType>(convert.getType());
    if (block.getRank() != 2)
      return {};
    unsigned alongK = 1 - index;
    unsigned minor =
        elementBytes(block.getElementType()) == 2 ? minorOf(layoutOf(convert.getSource().getType())) : alongK;
    return TileForm::typeFor(block.getShape(), block.getElementType(), minor);
  }

  Value operandOf(tile::DotOp dot, const MatrixInstruction &instruction, unsigned index) {
    OpOperand &operand = dot->getOpOperand(index);
    if (Value tile = tiles_.lookup(&operand))
      return tile;
    if (isInRegisters({dot, instruction}, operand))
      return operand.get();
    return stage(operand.get(), instruction, index);
  }

  Value stage(Value block, const MatrixInstruction &instruction, unsigned index) {
    Value &known = staged_[{block, index}];
    if (known)
      return known;
    LinearLayout layout = layoutOf(block.getType());
    Type element = tile::elementTypeOf(block.getType());
    unsigned minor = minorOf(layout);
    TileType form = TileForm::typeFor(layout.shape(), element, minor);
    if (!form || !machine_.canMultiply(instruction, form, index))
      form = TileForm::typeFor(layout.shape(), element, 1 - minor);
    OpBuilder builder(block.getContext());
    builder.setInsertionPointAfterValue(block);
    return known = builder.create<StageOp>(block.getLoc(), form, block);
  }

  func::FuncOp kernel_;
  const Machine &machine_;
  unsigned numWarps_, numStages_;
  bool boxes_;
  DotOperands operands_;
  static constexpr unsigned kFewWarps = 4;
  std::map<std::vector<int64_t>, Value> tensorMaps_; ///< Arguments by their plan.
  DenseMap<OpOperand *, Value> tiles_;
  DenseMap<std::pair<Value, unsigned>, Value> staged_;
  SmallVector<Operation *> placeholders_;
};

struct PlaceCopies : impl::PlaceCopiesBase<PlaceCopies> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> machine = machineOf(getOperation());
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!machine || !kernel) {
      getOperation().emitError(kernel ? "names no machine" : "has no tile.kernel");
      return signalPassFailure();
    }
    Placer(kernel, *machine, numWarpsOf(getOperation()), numStages, boxes).run();
  }
};

} // namespace

} // namespace tilewise::gpu
