// cpu-verify-llvm-stage: after cpu-to-llvm nothing but the LLVM dialect is left; anything else is
// our own failure.
#include "target/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_VERIFYLLVMSTAGE
#include "target/cpu/Passes.h.inc"

namespace {

struct VerifyLlvmStage : impl::VerifyLlvmStageBase<VerifyLlvmStage> {
  void runOnOperation() override {
    auto result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
      if (op == getOperation() || isa_and_present<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "internal: '" << op->getName() << "' is left after cpu-to-llvm";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewise::cpu
