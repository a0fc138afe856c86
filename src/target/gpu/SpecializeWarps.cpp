// gpu-specialize-warps: a warp of its own asks for the boxes of a kernel's loops.
//
// Where all warps of a program go through a loop together, a box may be asked for only when all of
// them have read what it overwrites: they meet in every iteration. This pass makes two programs of
// the kernel, which run beside each other:
//
//     gpu.beside warps 4 {                     what the boxes follow from, and nothing else
//       scf.for {
//         gpu.await_release %ring[%n]          all warps are done with the slot
//         gpu.fill_box %ring[%n], ...
//       }
//     }
//     scf.for {                                the kernel without its copies
//       gpu.await_box %ring[%n]                the slot is full
//       ...
//       gpu.release %ring[%n]                  this warp is done with it
//     }
//
// They meet by the signals of the slots alone. Warps that compute drift apart, so that one
// multiplies while the other does what comes between; and copies are ahead by all slots of a ring,
// beyond the end of a loop and into the next one. For that, rings belong to the kernel and not to a
// loop: loops whose rings are alike share them, and turns are counted on from loop to loop, also
// around the loops that these stand in:
//
//     scf.for iter_args(%turns = 0) {          tiles
//       %steps = scf.for iter_args(%i = 0) {   of each, steps along k
//         %n = %turns + %i
//       }
//       scf.yield %turns + %steps
//     }
//
// It is done where a kernel asks for it, and where it pays. What it costs is a place on the
// multiprocessor: 128 threads more, and rings of the kernel. So it pays only where registers or
// shared memory leave room for one program anyway; and where the warps that compute have something
// else to do than to multiply, or where loops follow each other, as they do when one program of the
// GPU does several of the kernel (RepeatPrograms.h). On an H200, TFLOPS without and with it:
//
//     attention, head 128, blocks of 128 x 128, 8 warps    486    602
//     attention, head 64, blocks of 128 x 128, 8 warps     372    423
//     attention, head 64, blocks of 128 x 64, 8 warps      451    359    two programs fit
//     matmul, tf32, a block read across its rows           261    346
//     matmul, f16, one block of sums for each program      727    719    nothing but products
//     matmul, f16, persistent, K = 1024                    625    652
//
// A kernel is left as it is where a box follows from what other threads do: from blocks, from
// memory that it writes, or from what it waits for.
#include "passes/Warn.h"
#include "target/gpu/BoxSlice.h"
#include "target/gpu/Machine.h"
#include "target/gpu/MemoryRoots.h"
#include "target/gpu/Multiplications.h"
#include "target/gpu/Passes.h"
#include "target/gpu/RegisterPressure.h"
#include "target/gpu/RepeatPrograms.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/TileAccess.h"
#include "target/gpu/TileForm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "target/gpu/Passes.h.inc"

namespace {

constexpr StringLiteral kAskedAttr = "tile.warp_specialize";
/// What a thread has in registers beside blocks: addresses, counters, masks.
constexpr unsigned kWordsBesideBlocks = 24;

/// A loop that boxes are asked for in, with the numbers that count its iterations.
struct RingLoop {
  scf::ForOp loop;
  SmallVector<FillBoxOp> fills;
  SmallVector<AwaitBoxOp> awaits;
  unsigned filled = 0, taken = 0; ///< Among the values that the loop carries.
  unsigned rings = 0;             ///< Whose rings it uses, of `Specializer::rings_`.
};

/// Turns of each set of rings, counted by those who fill and those who take.
using Turns = SmallVector<Value>;

class Specializer {
public:
  Specializer(func::FuncOp kernel, const Machine &machine, unsigned numWarps, bool keepsRegisters)
      : kernel_(kernel), machine_(machine), numWarps_(numWarps), keepsRegisters_(keepsRegisters) {}

  /// Whether the kernel asks for it.
  bool isAsked() {
    return kernel_
        .walk(
            [](scf::ForOp loop) { return loop->hasAttr(kAskedAttr) ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  /// Empty when `run` will do.
  std::string whyNot() {
    if (!machine_.warpsBeside())
      return "this GPU has no warps that ask for copies beside others";
    if (numWarps_ + machine_.warpsBeside() > machine_.maxWarps())
      return "no warps are left beside " + std::to_string(numWarps_);
    if (std::string why = collectLoops(); !why.empty())
      return why;
    needFills();
    if (!slice_.problem().empty())
      return slice_.problem();
    if (waitsForOthers())
      return "the kernel waits for other programs, or its threads for each other";
    if (readsWhatItWrites())
      return "the kernel writes what tells where the boxes lie";
    findRings();
    slots_ = slotsThatFit(/*areRepeated=*/false);
    return slots_ ? "" : "rings that live as long as the kernel do not fit into shared memory";
  }

  /// Whether one program has a multiprocessor for itself, by its registers or its shared memory.
  bool isAlone() {
    unsigned tiles = 0, scratch = 0;
    kernel_.getBody().walk([&](Operation *op) {
      tiles += llvm::alignTo(tileBytes(op), TileForm::kAlignment);
      scratch = std::max(scratch, scratchBytes(op));
    });
    const unsigned words = wordsHeld(kernel_.getBody().front()) + kWordsBesideBlocks;
    return 2 * std::max(tiles, scratch) > machine_.sharedLimit() || machine_.programsByRegisters(numWarps_, words) == 1;
  }
  /// Whether it pays where a program is alone; after `whyNot`.
  bool pays() {
    return llvm::any_of(loops_, [](const RingLoop &each) {
      return isa<scf::ForOp>(each.loop->getParentOp()) || hasWorkBesideProducts(each.loop);
    });
  }
  /// Whether one program of the GPU can do several of the kernel; after `whyNot`.
  bool canRepeat() {
    bool isFlat = llvm::none_of(loops_, [](const RingLoop &each) { return isa<scf::ForOp>(each.loop->getParentOp()); });
    return isFlat && whyNotRepeated(kernel_).empty() && slotsThatFit(/*areRepeated=*/true);
  }

  void run() {
    placeRings();
    OpBuilder builder(kernel_.getContext());
    Block &entry = kernel_.getBody().front();
    builder.setInsertionPointToStart(&entry);
    Turns begin(2 * rings_.size(), builder.create<arith::ConstantIntOp>(kernel_.getLoc(), 0, 32));
    chain(entry, begin);
    // The numbers have become others on the way.
    slice_ = {};
    needFills();
    builder.setInsertionPointAfter(rings_.back().back());
    auto beside = builder.create<BesideOp>(kernel_.getLoc(), machine_.warpsBeside(), IntegerAttr(), IntegerAttr());
    if (std::optional<Machine::RegisterShares> shares = machine_.registerShares(numWarps_);
        shares && !keepsRegisters_) {
      beside.setRegisters(shares->beside);
      beside.setLeaving(shares->rest);
    }
    builder.createBlock(&beside.getBody());
    IRMapping map;
    copy(entry, builder, map);
    for (RingLoop &each : loops_) {
      finish(each.fills, each.awaits);
      each.loop->setAttr(GpuDialect::kAheadAttr, Builder(kernel_.getContext()).getI32IntegerAttr(0));
    }
    finish(fillsOfPrograms_, awaitsOfPrograms_);
    kernel_->getParentOfType<ModuleOp>()->setAttr(GpuDialect::kBesideWarpsAttr,
                                                  builder.getI32IntegerAttr(machine_.warpsBeside()));
  }

private:
  void needFills() {
    for (RingLoop &each : loops_)
      for (FillBoxOp fill : each.fills)
        slice_.need(fill);
    for (FillBoxOp fill : fillsOfPrograms_)
      slice_.need(fill);
  }

  std::string collectLoops() {
    std::string why;
    kernel_.walk([&](scf::ForOp loop) {
      if (loop->hasAttr(GpuDialect::kProgramsAttr)) {
        llvm::append_range(fillsOfPrograms_, loop.getBody()->getOps<FillBoxOp>());
        llvm::append_range(awaitsOfPrograms_, loop.getBody()->getOps<AwaitBoxOp>());
        return;
      }
      RingLoop found{loop, {}, {}};
      for (Operation &op : *loop.getBody())
        if (auto fill = dyn_cast<FillBoxOp>(op))
          found.fills.push_back(fill);
        else if (auto await = dyn_cast<AwaitBoxOp>(op))
          found.awaits.push_back(await);
        else if (isa<FillOp>(op))
          why = "threads copy some of what the loop loads";
      if (found.fills.empty())
        return;
      found.filled = cast<BlockArgument>(found.fills.front().getN()).getArgNumber() - 1;
      found.taken = cast<BlockArgument>(found.awaits.front().getN()).getArgNumber() - 1;
      for (Operation *around = loop->getParentOp(); around != kernel_; around = around->getParentOp())
        if (!isa<scf::ForOp>(around) || (!around->hasAttr(GpuDialect::kProgramsAttr) &&
                                         !cast<scf::ForOp>(around).getBody()->getOps<FillBoxOp>().empty()))
          why = isa<scf::ForOp>(around) ? "a loop around it has copies of its own" : "it stands in a branch";
      loops_.push_back(std::move(found));
    });
    return loops_.empty() ? "the GPU's copy engine copies nothing in a loop of the kernel" : why;
  }

  /// Whether threads compute blocks in a loop that its products or its results follow from.
  static bool hasWorkBesideProducts(scf::ForOp loop) {
    SmallVector<Value> open;
    for (Operation &op : *loop.getBody())
      if (isa<MmaOp>(op) || tile::changesMemory(&op))
        llvm::append_range(open, op.getOperands());
    for (auto [result, yielded] : llvm::zip(loop.getResults(), loop.getYieldedValues()))
      if (!result.use_empty())
        open.push_back(yielded);
    llvm::DenseSet<Value> seen;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!seen.insert(value).second || value.getParentBlock() != loop.getBody())
        continue;
      Operation *op = value.getDefiningOp();
      if (op && isBlock(value.getType()) && !givesSums(op))
        return true;
      if (op)
        llvm::append_range(open, op->getOperands());
      else if (value != loop.getInductionVar())
        open.push_back(loop.getTiedLoopYieldedValue(cast<BlockArgument>(value))->get());
    }
    return false;
  }

  /// Warps that run ahead would read what the kernel has not waited for yet.
  bool waitsForOthers() {
    return kernel_
        .walk([](Operation *op) {
          auto access = dyn_cast<tile::MemoryAccess>(op);
          auto load = dyn_cast<tile::LoadOp>(op);
          bool isWait = (access && access.isAtomic() && !op->use_empty()) || (load && load.getIsVolatile()) ||
                        isa<tile::BarrierOp, scf::WhileOp>(op);
          return isWait ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  bool readsWhatItWrites() {
    return kernel_
        .walk([&](tile::LoadOp load) {
          bool isChanged = slice_.contains(load) && mayChange(kernel_, rootOf(load.getPointer()));
          return isChanged ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static SmallVector<RingOp> ringsOf(const RingLoop &each) {
    SmallVector<RingOp> rings;
    for (FillBoxOp fill : each.fills)
      rings.push_back(fill.getRing().getDefiningOp<RingOp>());
    return rings;
  }

  /// Loops whose rings are of the same types use the same ones.
  void findRings() {
    for (RingLoop &each : loops_) {
      SmallVector<RingOp> own = ringsOf(each);
      auto alike = [&](ArrayRef<RingOp> other) {
        return llvm::equal(own, other, [](RingOp a, RingOp b) { return a.getType() == b.getType(); });
      };
      auto known = llvm::find_if(rings_, alike);
      each.rings = known - rings_.begin();
      if (known == rings_.end())
        rings_.push_back(std::move(own));
    }
  }

  /// Shared memory that others need while there are rings, in bytes. Those of repeated programs are
  /// there all the time.
  unsigned bytesBesideRings(bool areRepeated) {
    Block &entry = kernel_.getBody().front();
    Operation *last = entry.findAncestorOpInBlock(*loops_.back().loop);
    for (RingLoop &each : loops_)
      if (Operation *top = entry.findAncestorOpInBlock(*each.loop); last->isBeforeInBlock(top))
        last = top;
    unsigned largest = 0, staged = 0;
    kernel_.getBody().walk([&](Operation *op) {
      if (!areRepeated && last->isBeforeInBlock(entry.findAncestorOpInBlock(*op)))
        return;
      largest = std::max(largest, unsigned(llvm::alignTo(scratchBytes(op), kScratchAlignment)));
      auto ring = dyn_cast<RingOp>(op);
      auto isOurs = [&](const RingLoop &each) { return llvm::is_contained(ringsOf(each), ring); };
      if (isa<StageOp>(op) || (ring && llvm::none_of(loops_, isOurs)))
        staged += llvm::alignTo(tileBytes(op), TileForm::kAlignment);
    });
    return largest + staged;
  }

  static unsigned wantedSlots(RingOp ring) {
    auto wanted = ring->getAttrOfType<IntegerAttr>(GpuDialect::kWantedSlotsAttr);
    return wanted ? wanted.getInt() : ring.getType().getSlots();
  }

  /// How many slots a ring may have at most, so that all fit; 0 when two each are too many.
  unsigned slotsThatFit(bool areRepeated) {
    const unsigned beside = bytesBesideRings(areRepeated);
    unsigned most = 0;
    for (ArrayRef<RingOp> rings : rings_)
      for (RingOp ring : rings)
        most = std::max(most, wantedSlots(ring));
    for (unsigned slots = most; slots >= 2; --slots) {
      // With the rings' signals.
      unsigned taken = beside + TileForm::kAlignment;
      for (ArrayRef<RingOp> rings : rings_)
        for (RingOp ring : rings)
          taken += std::min(slots, wantedSlots(ring)) * TileForm(ring.getType().getTile()).stride();
      if (taken <= machine_.sharedLimit())
        return slots;
    }
    return 0;
  }

  void placeRings() {
    Operation *first = &kernel_.getBody().front().front();
    for (FillBoxOp fill : fillsOfPrograms_) {
      auto ring = fill.getRing().getDefiningOp<RingOp>();
      ring.setReleased(true);
      ring->moveBefore(first);
    }
    for (ArrayRef<RingOp> rings : rings_)
      for (RingOp ring : rings) {
        RingType type = ring.getType();
        ring.getResult().setType(RingType::get(type.getContext(), std::min(slots_, wantedSlots(ring)), type.getTile()));
        ring->removeAttr(GpuDialect::kWantedSlotsAttr);
        ring.setReleased(true);
        ring->moveBefore(first);
      }
    for (RingLoop &each : loops_)
      for (auto [own, shared] : llvm::zip(ringsOf(each), rings_[each.rings]))
        if (own != shared) {
          own.replaceAllUsesWith(shared.getResult());
          own.erase();
        }
  }

  bool hasRings(scf::ForOp loop) {
    return llvm::any_of(loops_, [&](RingLoop &each) { return loop->isProperAncestor(each.loop); });
  }

  /// Turns are counted on from loop to loop, and around the loops that these stand in. A loop's own
  /// counters begin at 0: they also tell where its boxes lie.
  void chain(Block &block, Turns &turns) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop)
        continue;
      auto found = llvm::find_if(loops_, [&](RingLoop &each) { return each.loop == loop; });
      if (found != loops_.end())
        countOn(*found, turns);
      else if (hasRings(loop))
        chainAround(loop, turns);
    }
  }

  void chainAround(scf::ForOp loop, Turns &turns) {
    IRRewriter rewriter(loop);
    SmallVector<NamedAttribute> attributes(loop->getAttrs());
    unsigned before = loop.getNumRegionIterArgs();
    auto inside = [&](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
      Turns inner(carried.begin(), carried.end());
      chain(*loop.getBody(), inner);
      return SmallVector<Value>(inner);
    };
    Operation *replaced =
        loop.replaceWithAdditionalYields(rewriter, turns, /*replaceInitOperandUsesInLoop=*/false, inside)
            ->getOperation();
    replaced->setAttrs(attributes);
    turns.assign(replaced->result_begin() + before, replaced->result_end());
  }

  void countOn(RingLoop &each, Turns &turns) {
    scf::ForOp loop = each.loop;
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody()), behind(loop);
    behind.setInsertionPointAfter(loop);
    auto add = [&](OpBuilder &builder, Value turn, Value iterations) -> Value {
      return matchPattern(turn, m_Zero()) ? iterations : builder.create<arith::AddIOp>(loop.getLoc(), turn, iterations);
    };
    Value &fills = turns[2 * each.rings], &takes = turns[2 * each.rings + 1];
    Value filled = add(inside, fills, loop.getRegionIterArg(each.filled));
    Value taken = add(inside, takes, loop.getRegionIterArg(each.taken));
    for (FillBoxOp fill : each.fills)
      fill.getNMutable().assign(filled);
    for (AwaitBoxOp await : each.awaits)
      await.getNMutable().assign(taken);
    for (SlotOp slot : loop.getBody()->getOps<SlotOp>())
      if (llvm::is_contained(rings_[each.rings], slot.getRing().getDefiningOp<RingOp>()))
        slot.getNMutable().assign(taken);
    fills = add(behind, fills, loop.getResult(each.filled));
    takes = add(behind, takes, loop.getResult(each.taken));
  }

  /// What `block` has of the slice, at the builder's insertion point.
  void copy(Block &block, OpBuilder &builder, IRMapping &map) {
    for (Operation &op : block.without_terminator()) {
      if (!slice_.contains(&op))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        copyLoop(loop, builder, map);
        continue;
      }
      if (auto fill = dyn_cast<FillBoxOp>(op))
        builder.create<AwaitReleaseOp>(fill.getLoc(), fill.getRing(), map.lookupOrDefault(fill.getN()));
      builder.clone(op, map);
    }
  }

  void copyLoop(scf::ForOp loop, OpBuilder &builder, IRMapping &map) {
    SmallVector<unsigned> carried = slice_.carriedBy(loop);
    SmallVector<Value> inits;
    for (unsigned index : carried)
      inits.push_back(map.lookupOrDefault(loop.getInitArgs()[index]));
    auto body = [&](OpBuilder &inside, Location loc, Value iteration, ValueRange arguments) {
      map.map(loop.getInductionVar(), iteration);
      for (auto [index, argument] : llvm::zip(carried, arguments))
        map.map(loop.getRegionIterArg(index), argument);
      copy(*loop.getBody(), inside, map);
      SmallVector<Value> yielded;
      for (unsigned index : carried)
        yielded.push_back(map.lookupOrDefault(loop.getYieldedValues()[index]));
      inside.create<scf::YieldOp>(loc, yielded);
    };
    auto copied = builder.create<scf::ForOp>(loop.getLoc(), map.lookupOrDefault(loop.getLowerBound()),
                                             map.lookupOrDefault(loop.getUpperBound()),
                                             map.lookupOrDefault(loop.getStep()), inits, body);
    for (auto [index, result] : llvm::zip(carried, copied.getResults()))
      map.map(loop.getResult(index), result);
  }

  /// What those do who compute: they copy nothing, and release what they have read.
  static void finish(ArrayRef<FillBoxOp> fills, ArrayRef<AwaitBoxOp> awaits) {
    for (FillBoxOp fill : fills)
      fill->erase();
    for (AwaitBoxOp await : awaits) {
      OpBuilder builder(await->getContext());
      builder.setInsertionPointAfter(lastReader(await));
      builder.create<ReleaseOp>(await->getLoc(), AwaitBoxOp(await).getRing(), AwaitBoxOp(await).getN(), Value());
    }
  }

  /// The op behind which nothing reads the slot that was waited for.
  static Operation *lastReader(AwaitBoxOp await) {
    Operation *last = await;
    auto note = [&](Operation *op) {
      op = await->getBlock()->findAncestorOpInBlock(*op);
      last = last->isBeforeInBlock(op) ? op : last;
    };
    auto visit = [&](auto &&self, Value view) -> void {
      for (Operation *user : view.getUsers()) {
        note(user);
        auto read = dyn_cast<ReadOp>(user);
        if (user->hasTrait<ViewsTile>())
          self(self, user->getResult(0));
        else if (isa<MmaOp>(user) || (read && isReadByDot(read)))
          llvm::for_each(user->getUsers(), note);
      }
    };
    for (Operation *user : await.getRing().getUsers())
      if (auto slot = dyn_cast<SlotOp>(user); slot && slot.getN() == await.getN())
        visit(visit, slot);
    return last;
  }

  func::FuncOp kernel_;
  const Machine &machine_;
  unsigned numWarps_;
  bool keepsRegisters_;
  unsigned slots_ = 0; ///< Of a ring, at most.
  SmallVector<RingLoop> loops_;
  /// Of boxes that are copied once in each of the programs that one does; see RepeatPrograms.h.
  SmallVector<FillBoxOp> fillsOfPrograms_;
  SmallVector<AwaitBoxOp> awaitsOfPrograms_;
  SmallVector<SmallVector<RingOp>> rings_;
  BoxSlice slice_;
};

/// By how many iterations copies are ahead, where shared memory has no room for more. Warps of
/// their own are ahead by all slots but the one that is read.
void warnOfShortRooms(func::FuncOp kernel) {
  kernel.walk([](scf::ForOp loop) {
    auto shortage = dyn_cast_or_null<DenseI32ArrayAttr>(loop->removeAttr(GpuDialect::kShortOfRoomAttr));
    auto ahead = loop->getAttrOfType<IntegerAttr>(GpuDialect::kAheadAttr);
    if (!shortage)
      return;
    int64_t runs = shortage[0];
    if (ahead && ahead.getInt() == 0)
      for (AwaitBoxOp await : loop.getBody()->getOps<AwaitBoxOp>())
        runs = await.getRing().getType().getSlots() - 1;
    if (runs >= shortage[1])
      return;
    tile::warnPerf(loop, "copies of this loop run " + llvm::Twine(runs) + " iterations ahead instead of " +
                             llvm::Twine(shortage[1]) + ": an iteration copies " + llvm::Twine(shortage[2]) +
                             " bytes, and shared memory has room for " + llvm::Twine(shortage[3]))
            .attachNote(loop.getLoc())
        << "take smaller blocks, or a smaller num_stages";
  });
}

struct SpecializeWarps : impl::SpecializeWarpsBase<SpecializeWarps> {
  using Base::Base;

  void runOnOperation() override {
    std::unique_ptr<Machine> machine = machineOf(getOperation());
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!machine || !kernel) {
      getOperation().emitError(kernel ? "names no machine" : "has no tile.kernel");
      return signalPassFailure();
    }
    const unsigned numWarps = numWarpsOf(getOperation());
    Specializer specializer(kernel, *machine, numWarps, keepsRegisters);
    const bool isAsked = all || specializer.isAsked();
    if (std::string why = specializer.whyNot(); !why.empty()) {
      if (isAsked && tile::wantsPerf(kernel))
        tile::warnPerf(kernel, "no warps of their own ask for copies: " + why);
    } else if ((all || specializer.isAlone()) && specializer.canRepeat()) {
      repeatPrograms(kernel);
      Specializer repeated(kernel, *machine, numWarps, keepsRegisters);
      if (repeated.whyNot().empty())
        repeated.run();
    } else if (isAsked || (specializer.isAlone() && specializer.pays())) {
      specializer.run();
    }
    warnOfShortRooms(kernel);
  }
};

} // namespace

} // namespace tilewise::gpu
