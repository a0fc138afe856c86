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
  NvidiaBackend(unsigned capability, const LaunchOptions &options) : capability_(capability), options_(options) {}

  llvm::StringRef name() const override { return "nvidia"; }
  Result<void> check() override {
    if (capability_ < 75)
      return kernelFailure("the NVIDIA engine needs compute capability 7.5 or later, got " +
                           std::to_string(capability_ / 10) + "." + std::to_string(capability_ % 10));
    return {};
  }
  /// Assertions are not checked yet: they are left out, and the first says so.
  void prepare(ModuleOp module) override {
    bool isFirst = true;
    module->walk([&](tile::AssertOp assertion) {
      if (std::exchange(isFirst, false))
        assertion.emitWarning("the nvidia engine leaves assertions out; the reference engine checks them");
      assertion.erase();
    });
  }
  std::vector<Stage> stages() override {
    return {{"nvidia",
             [this](OpPassManager &passes) {
               nvidia::buildStagePipeline(passes, options_.numWarps, options_.numStages, capability_);
             }},
            {"llvm-dialect", nvidia::buildLlvmPipeline}};
  }
  Result<std::unique_ptr<llvm::Module>> translate(ModuleOp module, llvm::LLVMContext &context) override {
    return nvidia::translateToLlvm(module, context, capability_, observer);
  }
  Result<std::string> emitText(llvm::Module &module) override { return nvidia::emitPtx(module, capability_, observer); }
  Result<std::string> emitCode(ModuleOp, llvm::Module *llvm) override {
    return nvidia::emitPtx(*llvm, capability_, observer);
  }
  llvm::StringRef textFile() const override { return "code.ptx"; }
  void fillPlan(ModuleOp module, LaunchPlan &plan) override {
    plan.threadsPerProgram = nvidia::NvidiaMachine(capability_).lanes() * gpu::numWarpsOf(module);
    plan.sharedBytes = gpu::sharedBytesOf(module);
  }

private:
  unsigned capability_;
  LaunchOptions options_;
};

} // namespace

std::unique_ptr<Backend> createNvidiaBackend(const Target &target, const LaunchOptions &options) {
  return std::make_unique<NvidiaBackend>(target.capability ? target.capability : 90, options);
}

} // namespace tilewise
