// The NVIDIA back end: the passes, then LLVM IR, then PTX.
#include "target/Backend.h"

#include "target/gpu/Gpu.h"
#include "target/nvidia/EmitPtx.h"
#include "target/nvidia/NvidiaMachine.h"
#include "target/nvidia/Passes.h"

using namespace mlir;

namespace tilewise {

namespace {

class NvidiaBackend : public Backend {
public:
  NvidiaBackend(unsigned capability, const CompileOptions &options) : capability_(capability), options_(options) {}

  Result<void> check() override {
    if (capability_ < 75)
      return kernelFailure("the NVIDIA engine needs compute capability 7.5 or later, got " +
                           std::to_string(capability_ / 10) + "." + std::to_string(capability_ % 10));
    return {};
  }
  void addStagePasses(OpPassManager &passes) override {
    nvidia::buildStagePipeline(passes, options_.numWarps, capability_);
  }
  void addLlvmPasses(OpPassManager &passes) override { nvidia::buildLlvmPipeline(passes); }
  Result<std::unique_ptr<llvm::Module>> translate(ModuleOp module, llvm::LLVMContext &context) override {
    return nvidia::translateToLlvm(module, context, capability_, watch);
  }
  Result<std::string> emitText(llvm::Module &module) override { return nvidia::emitPtx(module, capability_, watch); }
  Result<std::string> emitCode(llvm::Module &module) override { return nvidia::emitPtx(module, capability_, watch); }
  void fillPlan(ModuleOp module, LaunchPlan &plan) override {
    plan.threadsPerProgram = nvidia::NvidiaMachine(capability_).lanes() * gpu::numWarpsOf(module);
    plan.sharedBytes = gpu::sharedBytesOf(module);
  }

private:
  unsigned capability_;
  CompileOptions options_;
};

} // namespace

std::unique_ptr<Backend> createNvidiaBackend(const Target &target, const CompileOptions &options) {
  return std::make_unique<NvidiaBackend>(target.capability ? target.capability : 90, options);
}

} // namespace tilewise
