// nv-allocate-shared: gives every op that works through shared memory the offset of its scratch.
//
// No scratch outlives its op, so two zones are enough: neighbours in program order take turns, and the barrier inside an op then also
// ends the reads of the op before it. Only where a zone is used twice without an op between is an extra barrier needed.
#include "target/Refusal.h"
#include "target/nvidia/Passes.h"
#include "target/nvidia/SharedScratch.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::nv {

DotScratch scratchOf(tile::DotOp dot) {
  DotScratch scratch;
  ArrayRef<int64_t> a = tile::shapeOf(dot.getA().getType()), b = tile::shapeOf(dot.getB().getType());
  unsigned bytes = elementBytes(tile::elementTypeOf(dot.getA().getType()));
  scratch.aRowElements = a[1] + 16 / bytes;
  scratch.bRowElements = b[1];
  scratch.bOffset = llvm::alignTo(a[0] * scratch.aRowElements * bytes, 16);
  scratch.bytes = scratch.bOffset + b[0] * scratch.bRowElements * bytes;
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

unsigned scratchBytes(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return scratchOf(dot).bytes;
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return scratchOf(reduce).bytes;
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    LinearLayout from = layoutOf(convert.getSource().getType()), to = layoutOf(convert.getType());
    if (planConversion(from, to).way != LayoutConversion::Way::Shared)
      return 0;
    return from.elements() * elementBytes(tile::elementTypeOf(convert.getType()));
  }
  return 0;
}

unsigned sharedLimit(unsigned capability) {
  switch (capability) {
  case 75:
    return 64 << 10;
  case 80:
  case 87:
    return 163 << 10;
  case 86:
  case 89:
  case 120:
    return 99 << 10;
  default:
    return 227 << 10;
  }
}

namespace {

struct AllocateSharedPass : PassWrapper<AllocateSharedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AllocateSharedPass)
  StringRef getArgument() const override { return "nv-allocate-shared"; }
  StringRef getDescription() const override {
    return "give ops that work through shared memory the offset of their scratch";
  }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<NvDialect>(); }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<Operation *, unsigned>> users;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (unsigned bytes = scratchBytes(op))
        users.push_back({op, bytes});
    });
    unsigned zones[2] = {0, 0};
    for (auto [index, user] : llvm::enumerate(users))
      zones[index % 2] = std::max(zones[index % 2], user.second);
    unsigned second = llvm::alignTo(zones[0], 128), limit = sharedLimit(capabilityOf(module));
    bool oneZone = second + zones[1] > limit;
    unsigned total = oneZone ? std::max(zones[0], zones[1]) : zones[1] ? second + zones[1] : zones[0];
    Builder builder(&getContext());
    for (auto [index, user] : llvm::enumerate(users)) {
      if (user.second > limit) {
        kernelError(user.first) << "this needs " << user.second << " bytes of shared memory, a program may have "
                                << limit << "; take smaller blocks";
        return signalPassFailure();
      }
      user.first->setAttr(NvDialect::kSharedAttr, builder.getI32IntegerAttr(index % 2 && !oneZone ? second : 0));
    }
    module->setAttr(NvDialect::kSharedBytesAttr, builder.getI32IntegerAttr(total));
  }
};

} // namespace

std::unique_ptr<Pass> createAllocateSharedPass() { return std::make_unique<AllocateSharedPass>(); }

} // namespace tilewise::nv
