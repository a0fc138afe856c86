// nvidia-verify-llvm-stage: nothing but LLVM dialect is left, and nothing in it that NVPTX cannot
// select.
#include "target/nvidia/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewise::nvidia {

#define GEN_PASS_DEF_VERIFYLLVMSTAGE
#include "target/nvidia/Passes.h.inc"

namespace {

/// LLVM 19's NVPTX has no lowering for these: it aborts or calls a function that does not exist.
bool isUnselectable(Operation *op) {
  if (isa<LLVM::ExpOp, LLVM::Exp2Op, LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::SinOp, LLVM::CosOp, LLVM::PowOp,
          LLVM::FRemOp, LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(op))
    return true;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return load.getOrdering() != LLVM::AtomicOrdering::not_atomic;
  return llvm::any_of(op->getResultTypes(), [](Type type) { return isa<BFloat16Type>(type); });
}

struct VerifyLlvmStage : impl::VerifyLlvmStageBase<VerifyLlvmStage> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      bool isOurs = isa<ModuleOp>(op) || isa_and_present<LLVM::LLVMDialect>(op->getDialect());
      if (isOurs && !isUnselectable(op))
        return WalkResult::advance();
      op->emitError("internal error: after 'gpu-to-llvm' ")
          << op->getName() << (isOurs ? " cannot be selected by NVPTX" : " is left");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

} // namespace tilewise::nvidia
