// Which kernels stream their stores, and the fence behind them.
#include "target/cpu/Streaming.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

/// How often the loops around an op run, as far as that is known when compiling.
static int64_t knownRounds(Operation *op) {
  int64_t rounds = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
    auto low = getConstantIntValue(loop.getLowerBound()), high = getConstantIntValue(loop.getUpperBound()),
         step = getConstantIntValue(loop.getStep());
    if (low && high && step && *step > 0 && *high > *low)
      rounds *= (*high - *low + *step - 1) / *step;
  }
  return rounds;
}

int64_t streamableBytes(KernelEmitter &k) {
  int64_t bytes = 0;
  bool mayStream = true;
  llvm::DenseSet<Value> loaded;
  k.source.walk([&](tile::LoadOp load) { loaded.insert(k.inference.access(load).address.pointer); });
  k.source.walk([&](Operation *op) {
    if (isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op))
      mayStream = false;
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store)
      return;
    tile::StructuredAccess access = k.inference.access(store);
    if (access.address.isAffine() && loaded.contains(access.address.pointer))
      mayStream = false;
    int64_t elements = 1;
    for (int64_t extent : tile::shapeOf(store.getValue().getType()))
      elements *= extent;
    bytes += elements * storageBytes(tile::elementTypeOf(store.getValue().getType())) * knownRounds(op);
  });
  return mayStream ? bytes : 0;
}

void emitStreamingFence(KernelEmitter &k, Location loc) {
  if (k.machine.isX86)
    k.b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), "llvm.x86.sse.sfence", ValueRange());
  else
    k.b.create<LLVM::FenceOp>(loc, LLVM::AtomicOrdering::seq_cst, StringRef());
}

} // namespace tilewise::cpu
