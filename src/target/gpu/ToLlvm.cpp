// gpu-to-llvm: laid-out blocks -> one thread's registers, in the LLVM dialect.
#include "target/gpu/Lowering.h"
#include "target/gpu/Machine.h"
#include "target/gpu/Passes.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_TOLLVM
#include "target/gpu/Passes.h.inc"

namespace {

struct ToLlvm : impl::ToLlvmBase<ToLlvm> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    std::unique_ptr<Machine> machine = machineOf(getOperation());
    if (!kernel || !machine) {
      getOperation().emitError(kernel ? "names no machine" : "has no tile.kernel");
      return signalPassFailure();
    }
    if (failed(Lowering(kernel, getOperation(), *machine).run()))
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewise::gpu
