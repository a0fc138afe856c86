// cpu-stream: which nests may have their stores pass the caches by. The idea is told in
// Streaming.h.
#include "target/cpu/plan/Streaming.h"
#include "passes/AccessInference.h"
#include "target/cpu/Passes.h"
#include "target/cpu/Storage.h"
#include "target/cpu/plan/Cpu.h"
#include "target/cpu/plan/KnownRounds.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_STREAM
#include "target/cpu/Passes.h.inc"

/// What one program stores at least; 0 when its stores must not be streamed.
static int64_t streamableBytes(func::FuncOp kernel, tile::AccessInference &inference) {
  int64_t bytes = 0;
  bool mayStream = true;
  llvm::DenseSet<Value> loaded;
  kernel.walk([&](tile::LoadOp load) { loaded.insert(inference.access(load).address.pointer); });
  kernel.walk([&](Operation *op) {
    auto write = dyn_cast<tile::MemoryAccess>(op);
    if (!write || !write.writes())
      return;
    const tile::StructuredAccess &access = inference.access(write);
    if (write.isAtomic() || (access.address.isAffine() && loaded.contains(access.address.pointer)))
      mayStream = false;
    int64_t elements = 1;
    for (int64_t extent : access.shape)
      elements *= extent;
    bytes += elements * storageBytes(access.element) * knownRoundsAround(op);
  });
  return mayStream ? bytes : 0;
}

/// A nest whose stores are boxes and which keeps nothing: what it keeps is wanted in the cache.
static bool mayStream(NestOp nest, tile::AccessInference &inference) {
  bool stores = false;
  for (Operation &op : nest.getBody().front()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    auto keep = dyn_cast<KeepOp>(op);
    if ((keep && !keep.getValue().getDefiningOp<tile::ReduceOp>()) ||
        (store && !inference.access(store).address.isAffine()))
      return false;
    stores |= bool(store);
  }
  return stores;
}

namespace {

struct Stream : impl::StreamBase<Stream> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    markAllAnalysesPreserved();
    auto &inference = getChildAnalysis<tile::AccessInference>(kernel);
    const int64_t bytes = streamableBytes(kernel, inference);
    if (bytes == 0)
      return;
    bool streams = false;
    kernel.walk([&](NestOp nest) {
      if (!mayStream(nest, inference))
        return;
      nest.setStreams(true);
      streams = true;
    });
    if (streams)
      getOperation()->setAttr(kStoredBytesAttr, Builder(&getContext()).getI64IntegerAttr(bytes));
  }
};

} // namespace

} // namespace tilewise::cpu
