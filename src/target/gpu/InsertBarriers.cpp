// gpu-insert-barriers: barriers between ops that use one place in shared or global memory.
//
// An op with scratch writes it, meets the other threads, and reads it; a conversion within warps
// meets those of its warp alone. What is left for this pass is the distance *between* ops:
// - shared: the reads of one op and the writes of a later one into the same bytes;
// - global: a program's loads and stores happen in program order for the program as a whole, but
//   its threads run apart. A load after a store, a store after a load and a store after a store
//   need a barrier when they may touch one element from different threads. Accesses through the
//   pointer value itself stay with one thread; MemoryRoots.h says which cannot meet.
#include "target/gpu/MemoryRoots.h"
#include "target/gpu/Multiplications.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "target/gpu/Passes.h.inc"

namespace {

struct GlobalUse {
  Value root;    ///< Null: anywhere.
  Value pointer; ///< Null: the pointer's value of an earlier iteration.
  bool operator==(const GlobalUse &) const = default;
};

/// What happened since the last barrier.
struct Pending {
  SmallVector<SharedRange, 2> sharedReads;
  SmallVector<GlobalUse, 4> loads, stores;

  void clear() { *this = {}; }
  void join(const Pending &other) {
    auto add = [](auto &to, const auto &from) {
      for (const auto &use : from)
        if (!llvm::is_contained(to, use))
          to.push_back(use);
    };
    add(sharedReads, other.sharedReads);
    add(loads, other.loads);
    add(stores, other.stores);
  }
  /// On the way back to a loop's head: pointers keep their names but not their values.
  void age() {
    for (auto *uses : {&loads, &stores})
      for (GlobalUse &use : *uses)
        use.pointer = {};
  }
};

/// Whether two accesses may meet at one element from different threads.
bool mayMeet(const GlobalUse &before, const GlobalUse &now) {
  if (before.root && now.root && before.root != now.root)
    return false;
  if (before.pointer != now.pointer || !now.pointer)
    return true;
  LayoutAttr layout = layoutAttrOf(now.pointer.getType());
  // A scalar is read by all threads and written by one; so are elements that have copies.
  if (!layout)
    return true;
  return layout.layout().freeBits(Level::Lane) || layout.layout().freeBits(Level::Warp);
}

class Inserter {
public:
  void run(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, pending);
  }

private:
  void visit(Operation *op, Pending &pending) {
    if (isa<BarrierOp>(op))
      return pending.clear();
    if (isa<tile::BarrierOp>(op)) {
      insertBefore(op, pending);
      return op->erase();
    }
    auto access = dyn_cast<tile::MemoryAccess>(op);
    const bool isAtomic = access && access.isAtomic();
    if (isAtomic)
      visitAtomic(access, pending);
    if (scratchBytes(op)) {
      SharedRange use = scratchRange(op);
      write(op, use, pending);
      // All threads meet in it, unless each warp keeps to itself.
      if (!use.part)
        pending.clear();
      if (!llvm::is_contained(pending.sharedReads, use))
        pending.sharedReads.push_back(use);
      if (isAtomic)
        noteAtomic(access, pending);
      return;
    }
    if (isAtomic)
      return noteAtomic(access, pending);
    if (visitTile(op, pending))
      return;
    if (access) {
      GlobalUse use{rootOf(access.getPointer()), access.getPointer()};
      meet(op, use, pending, {&pending.stores});
      if (access.writes())
        meet(op, use, pending, {&pending.loads});
      (access.writes() ? pending.stores : pending.loads).push_back(use);
    } else if (isa<LoopLikeOpInterface>(op)) {
      // The second round sees what the end of the body leaves for its beginning.
      for (int round = 0; round < 2; ++round) {
        Pending inside = pending;
        for (Region &region : op->getRegions())
          run(region.front(), inside);
        inside.age();
        if (op->hasAttr(GpuDialect::kProgramsAttr)) {
          inside.loads.clear();
          inside.stores.clear();
        }
        pending.join(inside);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Pending before = pending;
      for (Region &region : op->getRegions())
        if (!region.empty()) {
          Pending inside = before;
          run(region.front(), inside);
          pending.join(inside);
        }
    }
  }

  /// Ops on tiles. False for what is none.
  bool visitTile(Operation *op, Pending &pending) {
    if (auto fill = dyn_cast<FillOp>(op)) {
      if (!fill.getGuarded())
        write(op, rangeOf(fill.getTile()), pending);
      GlobalUse use{rootOf(fill.getPointer()), fill.getPointer()};
      meet(op, use, pending, {&pending.stores});
      pending.loads.push_back(use);
    } else if (auto fill = dyn_cast<FillBoxOp>(op)) {
      write(op, rangeOf(fill.getRing()), pending);
      pending.loads.push_back({fill.getPointer(), {}});
    } else if (auto ring = dyn_cast<RingOp>(op); ring && ring.getSignalled()) {
      write(op, rangeOf(ring), pending);
      pending.clear(); // It ends with a barrier.
    } else if (auto await = dyn_cast<AwaitBoxOp>(op)) {
      pending.sharedReads.push_back(rangeOf(await.getRing()));
    } else if (isa<AwaitOp>(op)) {
      pending.clear();
    } else if (auto stage = dyn_cast<StageOp>(op)) {
      write(op, rangeOf(stage.getResult()), pending);
      pending.clear(); // It ends with a barrier.
    } else if (auto read = dyn_cast<ReadOp>(op)) {
      pending.sharedReads.push_back(rangeOf(read.getTile()));
    } else if (auto mma = dyn_cast<MmaOp>(op)) {
      readTiles(mma, pending);
    } else if (auto wait = dyn_cast<MmaWaitOp>(op)) {
      // Until now they were at work, whatever barriers have been since they began.
      for (MmaOp mma : multiplicationsOf(wait))
        readTiles(mma, pending);
    } else {
      return false;
    }
    return true;
  }

  static void readTiles(MmaOp mma, Pending &pending) {
    for (Value operand : {mma.getA(), Value(mma.getB())})
      if (isa<TileType>(operand.getType()) && !llvm::is_contained(pending.sharedReads, rangeOf(operand)))
        pending.sharedReads.push_back(rangeOf(operand));
  }

  /// Shared memory is about to be written: after all who read it.
  void write(Operation *op, SharedRange range, Pending &pending) {
    if (llvm::any_of(pending.sharedReads, [&](SharedRange read) { return read.meets(range); }))
      insertBefore(op, pending);
  }

  /// Before an atomic that releases: what any thread did comes first. Others only keep their order
  /// with accesses to the same place.
  void visitAtomic(tile::MemoryAccess op, Pending &pending) {
    auto order = op->getAttrOfType<tile::MemOrderAttr>("order").getValue();
    GlobalUse use{rootOf(op.getPointer()), {}};
    bool releases = order == tile::MemOrder::release || order == tile::MemOrder::acq_rel;
    if (releases && (!pending.loads.empty() || !pending.stores.empty()))
      return insertBefore(op, pending);
    meet(op, use, pending, {&pending.stores, &pending.loads});
  }

  /// After an atomic that acquires, no thread reads before the one that acquired: as if it had
  /// stored everywhere.
  void noteAtomic(tile::MemoryAccess op, Pending &pending) {
    auto order = op->getAttrOfType<tile::MemOrderAttr>("order").getValue();
    bool acquires = order == tile::MemOrder::acquire || order == tile::MemOrder::acq_rel;
    pending.stores.push_back(acquires ? GlobalUse{} : GlobalUse{rootOf(op.getPointer()), {}});
  }

  void meet(Operation *op, const GlobalUse &use, Pending &pending,
            std::initializer_list<SmallVector<GlobalUse, 4> *> earlier) {
    for (auto *uses : earlier)
      if (llvm::any_of(*uses, [&](const GlobalUse &before) { return mayMeet(before, use); }))
        return insertBefore(op, pending);
  }

  void insertBefore(Operation *op, Pending &pending) {
    OpBuilder(op).create<BarrierOp>(op->getLoc());
    pending.clear();
  }
};

struct InsertBarriers : impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    Pending pending;
    if (func::FuncOp kernel = tile::kernelOf(getOperation()))
      Inserter().run(kernel.getBody().front(), pending);
  }
};

} // namespace

} // namespace tilewise::gpu
