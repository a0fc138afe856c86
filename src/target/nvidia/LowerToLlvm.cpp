// nv-lower-to-llvm: laid-out blocks -> one thread's registers, in the LLVM dialect.
#include "target/nvidia/Lowering.h"
#include "target/nvidia/Passes.h"

using namespace mlir;

namespace tilewise::nv {

namespace {

struct LowerToLlvmPass : PassWrapper<LowerToLlvmPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToLlvmPass)
  StringRef getArgument() const override { return "nv-lower-to-llvm"; }
  StringRef getDescription() const override { return "spell out what one thread does"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NvDialect, LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel || failed(Lowering(kernel, getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createLowerToLlvmPass() { return std::make_unique<LowerToLlvmPass>(); }

} // namespace tilewise::nv
