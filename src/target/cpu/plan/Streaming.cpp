// Which kernels stream their stores, and the fence behind them.
#include "target/cpu/plan/Streaming.h"

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
    auto write = dyn_cast<tile::MemoryAccess>(op);
    if (!write || !write.writes())
      return;
    const tile::StructuredAccess &access = k.inference.access(write);
    if (write.isAtomic() || (access.address.isAffine() && loaded.contains(access.address.pointer)))
      mayStream = false;
    int64_t elements = 1;
    for (int64_t extent : access.shape)
      elements *= extent;
    bytes += elements * storageBytes(access.element) * knownRounds(op);
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
