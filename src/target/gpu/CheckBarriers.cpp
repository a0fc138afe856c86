// gpu-check-barriers: no two threads meet at one place in memory without a barrier between them.
//
// gpu-insert-barriers walks forwards with what is open since the last barrier. This pass proves the
// outcome in another way: it makes a graph of what happens to memory,
//
//     gpu.convert_layout, through scratch        write [0, 4096) -> barrier -> read [0, 4096)
//     scf.for                                    an edge around its body, and one back to its head
//
// and looks from each event for others that can be reached without passing a barrier. What trips it
// is a mistake of ours.
#include "target/gpu/MemoryRoots.h"
#include "target/gpu/Multiplications.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_CHECKBARRIERS
#include "target/gpu/Passes.h.inc"

namespace {

struct Event {
  enum Kind { Barrier, SharedRead, SharedWrite, SharedFill, Load, Store, EndOfProgram };

  Kind kind;
  Operation *op;
  SharedRange range = {0, 0};
  /// Of global memory: where it is for those before it and for those behind it; null: anywhere. An
  /// atomic that acquires or releases orders more than its own place.
  Value rootBefore = {}, rootBehind = {};
  Value pointer = {};
  SmallVector<unsigned, 2> next = {};
  /// Of `next`, those that begin another iteration.
  SmallVector<unsigned, 1> again = {};

  bool isShared() const { return kind == SharedRead || kind == SharedWrite || kind == SharedFill; }
};

/// Whether each thread reaches only elements of its own through this pointer.
bool staysInThread(Value pointer) {
  LayoutAttr layout = pointer ? layoutAttrOf(pointer.getType()) : LayoutAttr();
  return layout && !layout.layout().freeBits(Level::Lane) && !layout.layout().freeBits(Level::Warp);
}

/// Whether a barrier must stand on every way from one event to the other. `isLater`: in another
/// iteration, where a pointer of the same name may have another value.
bool needsBarrier(const Event &first, const Event &second, bool isLater) {
  if (first.isShared() != second.isShared())
    return false;
  if (first.isShared()) {
    // Copies that are under way are awaited, and rings have slots: what they write is watched by
    // the simulator of the tests.
    if (first.kind == Event::SharedFill || (first.kind == Event::SharedRead && second.kind == Event::SharedRead))
      return false;
    if (second.kind == Event::SharedFill && first.kind != Event::SharedRead)
      return false;
    return first.range.meets(second.range);
  }
  if (first.kind == Event::Load && second.kind == Event::Load)
    return false;
  if (first.rootBehind && second.rootBefore && first.rootBehind != second.rootBefore)
    return false;
  return isLater || !first.pointer || first.pointer != second.pointer || !staysInThread(first.pointer);
}

/// What happens to memory, in which order.
class Graph {
public:
  explicit Graph(Block &kernel) { add(kernel); }

  ArrayRef<Event> events() const { return events_; }

private:
  void link(unsigned event) {
    for (unsigned end : ends_)
      events_[end].next.push_back(event);
    ends_ = {event};
  }
  void add(Event event) {
    events_.push_back(std::move(event));
    link(events_.size() - 1);
  }
  void addShared(Event::Kind kind, Operation *op, SharedRange range) { add({kind, op, range}); }
  void addBarrier(Operation *op) { add({Event::Barrier, op}); }
  void addGlobal(Event::Kind kind, Operation *op, Value pointer, Value before, Value behind) {
    add({kind, op, {0, 0}, before, behind, pointer});
  }

  void add(Block &block) {
    for (Operation &op : block)
      add(&op);
  }

  void add(Operation *op) {
    if (auto access = dyn_cast<tile::MemoryAccess>(op); access && access.isAtomic())
      addAtomic(access);
    if (scratchBytes(op)) {
      SharedRange range = scratchRange(op);
      addShared(Event::SharedWrite, op, range);
      if (!range.part)
        addBarrier(op);
      addShared(Event::SharedRead, op, range);
    } else if (isa<BarrierOp, AwaitOp>(op)) {
      addBarrier(op);
    } else if (auto stage = dyn_cast<StageOp>(op)) {
      addShared(Event::SharedWrite, op, rangeOf(stage.getResult()));
      addBarrier(op);
    } else if (auto fill = dyn_cast<FillOp>(op)) {
      if (!fill.getGuarded())
        addShared(Event::SharedFill, op, rangeOf(fill.getTile()));
      Value root = rootOf(fill.getPointer());
      addGlobal(Event::Load, op, fill.getPointer(), root, root);
    } else if (auto fill = dyn_cast<FillBoxOp>(op)) {
      addShared(Event::SharedFill, op, rangeOf(fill.getRing()));
      addGlobal(Event::Load, op, {}, fill.getPointer(), fill.getPointer());
    } else if (auto ring = dyn_cast<RingOp>(op); ring && ring.getSignalled()) {
      addShared(Event::SharedWrite, op, rangeOf(ring));
      addBarrier(op);
    } else if (auto await = dyn_cast<AwaitBoxOp>(op)) {
      addShared(Event::SharedRead, op, rangeOf(await.getRing()));
    } else if (isa<ReadOp, MmaOp>(op)) {
      for (Value operand : op->getOperands())
        if (isa<TileType>(operand.getType()))
          addShared(Event::SharedRead, op, rangeOf(operand));
    } else if (auto wait = dyn_cast<MmaWaitOp>(op)) {
      for (MmaOp mma : multiplicationsOf(wait))
        for (Value operand : mma->getOperands())
          if (isa<TileType>(operand.getType()))
            addShared(Event::SharedRead, op, rangeOf(operand));
    } else if (auto access = dyn_cast<tile::MemoryAccess>(op); access && !access.isAtomic()) {
      Value root = rootOf(access.getPointer());
      addGlobal(access.writes() ? Event::Store : Event::Load, op, access.getPointer(), root, root);
    } else if (isa<RegionBranchOpInterface>(op)) {
      addRegions(op);
    }
  }

  /// Reads and writes its place in one step, which counts as a store.
  void addAtomic(tile::MemoryAccess op) {
    auto order = op->getAttrOfType<tile::MemOrderAttr>("order").getValue();
    bool acquires = order == tile::MemOrder::acquire || order == tile::MemOrder::acq_rel;
    bool releases = order == tile::MemOrder::release || order == tile::MemOrder::acq_rel;
    Value root = rootOf(op.getPointer());
    addGlobal(Event::Store, op, {}, releases ? Value() : root, acquires ? Value() : root);
  }

  using Ends = SmallVector<unsigned>;
  static void join(Ends &to, const Ends &from) {
    for (unsigned end : from)
      if (!llvm::is_contained(to, end))
        to.push_back(end);
  }

  void addRegions(Operation *op) {
    const Ends before = ends_;
    if (isa<scf::IfOp>(op)) {
      Ends all;
      for (Region &region : op->getRegions()) {
        ends_ = before;
        if (!region.empty())
          add(region.front());
        join(all, ends_);
      }
      ends_ = all;
      return;
    }
    // What begins an iteration comes after what was before the loop, and after its own end. An
    // event that does nothing stands for the head.
    add({Event::Load, nullptr});
    const unsigned head = ends_.front();
    Ends all;
    for (Region &region : op->getRegions()) {
      // A for loop ends at its head; a while loop behind its test, the first of its regions.
      join(all, ends_);
      add(region.front());
    }
    // Programs have no order among each other in global memory.
    if (op->hasAttr(GpuDialect::kProgramsAttr))
      add({Event::EndOfProgram, nullptr});
    for (unsigned end : ends_)
      events_[end].again.push_back(head);
    join(all, ends_);
    ends_ = all;
  }

  std::vector<Event> events_;
  Ends ends_; ///< What the next event follows.
};

struct CheckBarriers : impl::CheckBarriersBase<CheckBarriers> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    Graph graph(kernel.getBody().front());
    for (const Event &event : graph.events())
      if (event.kind != Event::Barrier && event.op && failed(check(graph.events(), event)))
        return signalPassFailure();
  }

  /// From one event to all that can be reached without a barrier.
  LogicalResult check(ArrayRef<Event> events, const Event &first) {
    SmallVector<std::pair<unsigned, bool>> open;
    SmallVector<uint8_t> seen(events.size(), 0);
    auto follow = [&](const Event &event, bool isLater) {
      for (unsigned next : event.next)
        open.push_back({next, isLater});
      for (unsigned next : event.again)
        open.push_back({next, true});
    };
    follow(first, false);
    while (!open.empty()) {
      auto [index, isLater] = open.pop_back_val();
      uint8_t mark = isLater ? 2 : 1;
      if (seen[index] & mark)
        continue;
      seen[index] |= mark;
      const Event &event = events[index];
      if (event.kind == Event::Barrier || (event.kind == Event::EndOfProgram && !first.isShared()))
        continue;
      if (event.op && needsBarrier(first, event, isLater)) {
        event.op->emitError("internal error: ")
            << event.op->getName() << " may meet " << first.op->getName() << " in "
            << (first.isShared() ? "shared" : "global") << " memory: no barrier is between them";
        return failure();
      }
      follow(event, isLater);
    }
    return success();
  }
};

} // namespace

} // namespace tilewise::gpu
