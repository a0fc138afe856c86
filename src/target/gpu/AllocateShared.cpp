// gpu-allocate-shared: gives every op that works through shared memory the offset of its scratch.
//
// Scratch does not outlive its op; tiles live to their last use. What is not alive at the same time
// may share a place, and gpu-insert-barriers sees to it that threads do not meet there. Neighbours
// in program order do not share, since the barrier inside the second then also ends the reads of
// the first; only when memory is short they do.
//
// The signals of rings lie behind all that and share their place with nothing, though a ring that
// is dead needs none: the word of a signal is the machine's own until it is given up by an
// instruction for that. An operand that lay there later, behind barriers, was wrong at that place
// in some programs of a thousand, and only where two of them shared a multiprocessor.
#include "target/Refusal.h"
#include "target/gpu/LayoutRules.h"
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/TileForm.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_ALLOCATESHARED
#include "target/gpu/Passes.h.inc"

DotScratch scratchOf(tile::DotOp dot) {
  DotScratch scratch;
  // A matrix instruction has its operands in registers.
  if (dot->hasAttr(GpuDialect::kMmaAttr))
    return scratch;
  ArrayRef<int64_t> a = tile::shapeOf(dot.getA().getType()), b = tile::shapeOf(dot.getB().getType());
  unsigned aBytes = elementBytes(tile::elementTypeOf(dot.getA().getType())),
           bBytes = elementBytes(tile::elementTypeOf(dot.getB().getType()));
  int64_t aRows = 1, bRows = 1;
  for (int64_t extent : a.drop_back())
    aRows *= extent;
  for (int64_t extent : b.drop_back())
    bRows *= extent;
  scratch.aRowElements = a.back() + 16 / aBytes;
  scratch.bRowElements = b.back();
  scratch.bOffset = llvm::alignTo(aRows * scratch.aRowElements * aBytes, 16);
  scratch.bytes = scratch.bOffset + bRows * scratch.bRowElements * bBytes;
  return scratch;
}

ReduceScratch scratchOf(tile::ReduceOp reduce) {
  ReduceScratch scratch;
  LinearLayout layout = layoutOf(reduce.getSources().front().getType());
  uint32_t axis = layout.dimMask(reduce.getAxis());
  for (auto [bit, basis] : llvm::enumerate(layout.bases(Level::Warp)))
    if (basis & axis)
      scratch.warpBits.push_back(bit);
  scratch.resultElements = layout.elements() / layout.shape()[reduce.getAxis()];
  if (scratch.warpBits.empty())
    return scratch;
  for (Value source : reduce.getSources()) {
    scratch.offsets.push_back(scratch.bytes);
    unsigned bytes = elementBytes(tile::elementTypeOf(source.getType()));
    scratch.bytes += llvm::alignTo(scratch.groups() * scratch.resultElements * bytes, 16);
  }
  return scratch;
}

ScanScratch scratchOf(tile::ScanOp scan) {
  ScanScratch scratch;
  LinearLayout layout = layoutOf(scan.getSources().front().getType());
  AxisBits axis = *axisBits(layout, scan.getAxis());
  scratch.rows = layout.elements() / layout.shape()[scan.getAxis()];
  scratch.chunks = 1u << axis.highRegisters.size();
  scratch.warps = 1u << axis.warps.size();
  if (scratch.warps == 1)
    return scratch;
  for (Value source : scan.getSources()) {
    scratch.offsets.push_back(scratch.bytes);
    unsigned bytes = elementBytes(tile::elementTypeOf(source.getType()));
    scratch.bytes += llvm::alignTo(scratch.rows * scratch.chunks * scratch.warps * bytes, 16);
  }
  return scratch;
}

BlockScratch blockScratch(Type block) {
  BlockScratch scratch;
  unsigned bytes = elementBytes(tile::elementTypeOf(block));
  scratch.elements = cast<RankedTensorType>(block).getNumElements();
  for (; scratch.elements * bytes > BlockScratch::kMostBytes; scratch.elements /= 2)
    scratch.rounds *= 2;
  // What is not of a round is written to 16 bytes behind it.
  scratch.bytes = scratch.elements * bytes + (scratch.rounds > 1 ? 16 : 0);
  return scratch;
}

uint32_t bitsOfRounds(const LinearLayout &from, const LinearLayout &to, unsigned wanted, unsigned elementBytes) {
  uint32_t byThreads = 0, chosen = 0;
  for (const LinearLayout *layout : {&from, &to})
    byThreads |= layout->bitsOf(Level::Lane) | layout->bitsOf(Level::Warp);
  for (unsigned bit = llvm::Log2_64(from.elements()); bit-- > llvm::Log2_32(std::max(1u, 16 / elementBytes));)
    if (!(byThreads >> bit & 1) && llvm::popcount(chosen) < int(wanted))
      chosen |= 1u << bit;
  return llvm::popcount(chosen) == int(wanted) ? chosen : 0;
}

bool isWithinWarps(ConvertLayoutOp convert) {
  LinearLayout from = layoutOf(convert.getSource().getType()), to = layoutOf(convert.getType());
  if (!planConversion(from, to).isWithinWarps)
    return false;
  // Rounds of some warps only would use the same bytes for different warps.
  BlockScratch scratch = blockScratch(convert.getType());
  return scratch.rounds == 1 ||
         bitsOfRounds(from, to, llvm::Log2_32(scratch.rounds), elementBytes(tile::elementTypeOf(convert.getType())));
}

std::optional<ExchangePlace> exchangeWithinWarps(tile::GatherOp gather) {
  auto numbers = gather->getAttrOfType<IntegerAttr>(GpuDialect::kExchangeAttr);
  LinearLayout layout = layoutOf(gather.getType());
  if (!numbers || layoutOf(gather.getSource().getType()) != layout)
    return std::nullopt;
  const uint32_t place = pseudoInverse(layout.map(), llvm::Log2_64(layout.elements()))(numbers.getInt());
  const unsigned laneShift = layout.levelShift(Level::Lane);
  if (place >> layout.levelShift(Level::Warp))
    return std::nullopt;
  return ExchangePlace{place & ((1u << laneShift) - 1), place >> laneShift};
}

bool sharesResult(Operation *atomic) {
  if (atomic->use_empty())
    return false;
  LayoutAttr layout = layoutAttrOf(atomic->getResult(0).getType());
  return !layout || layout.layout().freeBits(Level::Lane) || layout.layout().freeBits(Level::Warp);
}

/// The source of an op that goes through shared memory as a whole; null for other ops.
static Value sourceThroughShared(Operation *op) {
#define TILEWISE_LOWERING(OP, FUNCTION)
#define TILEWISE_LOWERING_THROUGH_SHARED(OP, FUNCTION)                                                                 \
  if (auto each = dyn_cast<OP>(op))                                                                                    \
    return each.getSource();
#include "target/gpu/Lowering.def"
  return {};
}

bool goesThroughShared(Operation *op) { return bool(sourceThroughShared(op)); }

unsigned scratchBytes(Operation *op) {
  if (auto gather = dyn_cast<tile::GatherOp>(op); gather && exchangeWithinWarps(gather))
    return 0;
  if (Value source = sourceThroughShared(op))
    return blockScratch(source.getType()).bytes;
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case<tile::DotOp, tile::ReduceOp, tile::ScanOp>([](auto each) { return scratchOf(each).bytes; })
      .Case<tile::HistogramOp>([](auto histogram) { return unsigned(4 * histogram.getType().getNumElements()); })
      .Case<tile::AtomicRmwOp, tile::AtomicCasOp>([&](auto atomic) -> unsigned {
        if (!sharesResult(op))
          return 0;
        Type type = atomic.getResult().getType();
        return isBlock(type) ? blockScratch(type).bytes : 8;
      })
      .Case<ConvertLayoutOp>([](auto convert) -> unsigned {
        LinearLayout from = layoutOf(convert.getSource().getType()), to = layoutOf(convert.getType());
        if (planConversion(from, to).way != LayoutConversion::Way::Shared)
          return 0;
        // Nothing lies behind rounds to which all threads contribute alike.
        BlockScratch scratch = blockScratch(convert.getType());
        return isWithinWarps(convert) ? scratch.elements * elementBytes(tile::elementTypeOf(convert.getType()))
                                      : scratch.bytes;
      })
      .Default([](Operation *) { return 0; });
}

unsigned signalBytes(RingOp ring) {
  return (ring.getSignalled() + ring.getReleased()) * ring.getType().getSlots() * kSignalBytes;
}

unsigned tileBytes(Operation *op) {
  if (auto ring = dyn_cast<RingOp>(op))
    return ring.getType().getSlots() * TileForm(ring.getType().getTile()).stride();
  if (auto stage = dyn_cast<StageOp>(op))
    return TileForm(stage.getType()).stride();
  return 0;
}

SharedRange rangeOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op->hasTrait<ViewsTile>())
    op = op->getOperand(0).getDefiningOp();
  unsigned begin = op->getAttrOfType<IntegerAttr>(GpuDialect::kSharedAttr).getInt();
  return {begin, begin + tileBytes(op)};
}

SharedRange scratchRange(Operation *op) {
  unsigned begin = op->getAttrOfType<IntegerAttr>(GpuDialect::kSharedAttr).getInt();
  SharedRange range{begin, begin + scratchBytes(op)};
  if (auto convert = dyn_cast<ConvertLayoutOp>(op); convert && isWithinWarps(convert)) {
    unsigned warps = 1u << layoutOf(convert.getType()).bases(Level::Warp).size();
    range.part =
        blockScratch(convert.getType()).elements * elementBytes(tile::elementTypeOf(convert.getType())) / warps;
  }
  return range;
}

namespace {

/// An op's place in shared memory: how much, and from which op to which it must be left alone, in
/// program order.
struct Tenant {
  Operation *op;
  unsigned bytes, alignment;
  unsigned from, to;
  unsigned offset = 0;
};

class Allocator {
public:
  explicit Allocator(ModuleOp module) {
    unsigned count = 0;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { numbers_[op] = count++; });
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      unsigned at = numbers_[op];
      if (unsigned bytes = scratchBytes(op)) {
        // To the next op with scratch: neighbours in program order never share a place, so that the
        // barrier inside one also ends the reads of the one before.
        if (!scratch_.empty())
          tenants_[scratch_.back()].to = at;
        scratch_.push_back(tenants_.size());
        tenants_.push_back({op, bytes, kScratchAlignment, at, at});
      } else if (unsigned tiles = tileBytes(op)) {
        if (auto ring = dyn_cast<RingOp>(op); ring && signalBytes(ring))
          signalled_.push_back(ring);
        tenants_.push_back({op, tiles, TileForm::kAlignment, at, lastUse(op->getResult(0), op->getBlock())});
      }
    });
  }

  /// Finds places for all within `limit` bytes; false when that is too little.
  bool place(unsigned limit) {
    if (placeAll() <= limit)
      return true;
    for (unsigned index : scratch_)
      tenants_[index].to = tenants_[index].from;
    return placeAll() <= limit;
  }

  unsigned total() const { return total_; }
  ArrayRef<Tenant> tenants() const { return tenants_; }
  /// Rings with signals, and where these lie.
  SmallVector<std::pair<RingOp, unsigned>> signals() const {
    SmallVector<std::pair<RingOp, unsigned>> places;
    unsigned offset = total_ - bytesOfSignals();
    for (RingOp ring : signalled_) {
      places.push_back({ring, offset});
      offset += signalBytes(ring);
    }
    return places;
  }

private:
  unsigned lastOf(Operation *op) {
    unsigned last = numbers_[op];
    op->walk([&](Operation *inner) { last = std::max(last, numbers_[inner]); });
    return last;
  }

  /// The last op that uses a value, counting as a whole those around it up to `block`: a loop may
  /// use it again.
  unsigned lastUse(Value value, Block *block) {
    unsigned last = numbers_[value.getDefiningOp()];
    for (Operation *user : value.getUsers()) {
      last = std::max(last, lastOf(block->findAncestorOpInBlock(*user)));
      // Views, and multiplications that are still at work.
      if (user->hasTrait<ViewsTile>() || isa<MmaOp>(user))
        last = std::max(last, lastUse(user->getResult(0), block));
    }
    return last;
  }

  /// The largest first, each at the lowest place that is free while it lives.
  unsigned placeAll() {
    SmallVector<Tenant *> order;
    for (Tenant &tenant : tenants_)
      order.push_back(&tenant);
    // Tenants of one size in their own order, as they lie in the list.
    llvm::sort(order, [](Tenant *a, Tenant *b) { return std::tie(b->bytes, a) < std::tie(a->bytes, b); });
    SmallVector<Tenant *> placed;
    total_ = 0;
    for (Tenant *tenant : order) {
      tenant->offset = 0;
      llvm::sort(placed, [](Tenant *a, Tenant *b) { return std::tie(a->offset, a) < std::tie(b->offset, b); });
      for (Tenant *other : placed) {
        bool together = tenant->from <= other->to && other->from <= tenant->to;
        if (together && SharedRange{tenant->offset, tenant->offset + tenant->bytes}.overlaps(
                            {other->offset, other->offset + other->bytes}))
          tenant->offset = llvm::alignTo(other->offset + other->bytes, tenant->alignment);
      }
      placed.push_back(tenant);
      total_ = std::max(total_, tenant->offset + tenant->bytes);
    }
    if (unsigned bytes = bytesOfSignals())
      total_ = llvm::alignTo(total_, kSignalBytes) + bytes;
    return total_;
  }

  unsigned bytesOfSignals() const {
    unsigned bytes = 0;
    for (RingOp ring : signalled_)
      bytes += signalBytes(ring);
    return bytes;
  }

  DenseMap<Operation *, unsigned> numbers_;
  SmallVector<Tenant> tenants_;
  SmallVector<unsigned> scratch_;
  SmallVector<RingOp> signalled_;
  unsigned total_ = 0;
};

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<Machine> machine = machineOf(module);
    if (!machine) {
      module.emitError("names no machine");
      return signalPassFailure();
    }
    Allocator allocator(module);
    if (!allocator.place(machine->sharedLimit())) {
      const Tenant &largest =
          *llvm::max_element(allocator.tenants(), [](auto &a, auto &b) { return a.bytes < b.bytes; });
      kernelError(largest.op) << "the kernel needs " << allocator.total() << " bytes of shared memory, "
                              << largest.bytes << " of them here; a program may have " << machine->sharedLimit()
                              << "; take smaller blocks";
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (const Tenant &tenant : allocator.tenants())
      tenant.op->setAttr(GpuDialect::kSharedAttr, builder.getI32IntegerAttr(tenant.offset));
    for (auto [ring, offset] : allocator.signals())
      ring->setAttr(GpuDialect::kSignalsAttr, builder.getI32IntegerAttr(offset));
    module->setAttr(GpuDialect::kSharedBytesAttr, builder.getI32IntegerAttr(allocator.total()));
  }
};

} // namespace

} // namespace tilewise::gpu
