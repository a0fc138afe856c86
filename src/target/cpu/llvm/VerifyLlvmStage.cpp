// cpu-llvm-verify-stage: after cpu-to-llvm nothing but the LLVM dialect is left; anything else is
// our own failure.
#include "target/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

struct VerifyCpuLlvmStage : PassWrapper<VerifyCpuLlvmStage, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyCpuLlvmStage)
  StringRef getArgument() const final { return "cpu-llvm-verify-stage"; }
  StringRef getDescription() const final { return "Check that only the LLVM dialect is left"; }

  void runOnOperation() override {
    auto result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (isa<ModuleOp>(op) || isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "internal: '" << op->getName() << "' is left after cpu-to-llvm";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyCpuLlvmStagePass() { return std::make_unique<VerifyCpuLlvmStage>(); }

} // namespace tilewise::cpu
