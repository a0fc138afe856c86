// nv-llvm-verify-stage: nothing but LLVM dialect is left, and nothing in it that NVPTX cannot select.
#include "target/nvidia/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewise::nv {

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

struct VerifyLlvmStagePass : PassWrapper<VerifyLlvmStagePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyLlvmStagePass)
  StringRef getArgument() const override { return "nv-llvm-verify-stage"; }
  StringRef getDescription() const override { return "check that NVPTX can select what is left"; }

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      bool isOurs = isa<ModuleOp>(op) || isa_and_present<LLVM::LLVMDialect>(op->getDialect());
      if (isOurs && !isUnselectable(op))
        return WalkResult::advance();
      op->emitError("internal error: after 'nv-lower-to-llvm' ")
          << op->getName() << (isOurs ? " cannot be selected by NVPTX" : " is left");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyLlvmStagePass() { return std::make_unique<VerifyLlvmStagePass>(); }

} // namespace tilewise::nv
