// gpu-allocate-shared: gives every op that works through shared memory the offset of its scratch.
//
// No scratch outlives its op, so two zones are enough: neighbours in program order take turns, and
// the barrier inside an op then also ends the reads of the op before it. Only where a zone is used
// twice without an op between is an extra barrier needed.
#include "target/Refusal.h"
#include "target/gpu/LayoutRules.h"
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"
#include "target/gpu/SharedScratch.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

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

bool sharesResult(Operation *atomic) {
  if (atomic->use_empty())
    return false;
  LayoutAttr layout = layoutAttrOf(atomic->getResult(0).getType());
  return !layout || layout.layout().freeBits(Level::Lane) || layout.layout().freeBits(Level::Warp);
}

unsigned scratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case<tile::DotOp, tile::ReduceOp, tile::ScanOp>([](auto each) { return scratchOf(each).bytes; })
      .Case<tile::GatherOp>([](auto gather) { return blockScratch(gather.getSource().getType()).bytes; })
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
        return blockScratch(convert.getType()).bytes;
      })
      .Default([](Operation *) { return 0; });
}

namespace {

struct AllocateShared : impl::AllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<Machine> machine = machineOf(module);
    if (!machine) {
      module.emitError("names no machine");
      return signalPassFailure();
    }
    SmallVector<std::pair<Operation *, unsigned>> users;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (unsigned bytes = scratchBytes(op))
        users.push_back({op, bytes});
    });
    unsigned zones[2] = {0, 0};
    for (auto [index, user] : llvm::enumerate(users))
      zones[index % 2] = std::max(zones[index % 2], user.second);
    unsigned second = llvm::alignTo(zones[0], 128), limit = machine->sharedLimit();
    bool oneZone = second + zones[1] > limit;
    unsigned total = oneZone ? std::max(zones[0], zones[1]) : zones[1] ? second + zones[1] : zones[0];
    Builder builder(&getContext());
    for (auto [index, user] : llvm::enumerate(users)) {
      if (user.second > limit) {
        kernelError(user.first) << "this needs " << user.second << " bytes of shared memory, a program may have "
                                << limit << "; take smaller blocks";
        return signalPassFailure();
      }
      user.first->setAttr(GpuDialect::kSharedAttr, builder.getI32IntegerAttr(index % 2 && !oneZone ? second : 0));
    }
    module->setAttr(GpuDialect::kSharedBytesAttr, builder.getI32IntegerAttr(total));
  }
};

} // namespace

} // namespace tilewise::gpu
