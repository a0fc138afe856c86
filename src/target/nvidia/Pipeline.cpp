// The NVIDIA engine's passes in order, and the back end that runs them.
#include "passes/Passes.h"
#include "target/Backend.h"
#include "target/nvidia/EmitPtx.h"
#include "target/nvidia/Nv.h"
#include "target/nvidia/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewise::nv {

void buildStagePipeline(OpPassManager &passes, unsigned numWarps, unsigned capability) {
  buildEnginePipeline(passes);
  passes.addPass(createAssignLayoutsPass(numWarps, capability));
  // Blocks computed anew in a layout are often computed twice: a pointer's offsets and its mask share most of their ops.
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createAllocateSharedPass());
  // Barriers last: any motion after them could carry an op across one.
  passes.addPass(createInsertBarriersPass());
  passes.addPass(createVerifyStagePass());
}

void buildLlvmPipeline(OpPassManager &passes) {
  passes.addPass(createLowerToLlvmPass());
  passes.addPass(createVerifyLlvmStagePass());
}

namespace {

struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("warps of a program"), llvm::cl::init(4)};
  Option<unsigned> capability{*this, "capability", llvm::cl::desc("compute capability, such as 90"),
                              llvm::cl::init(90)};
};

class NvidiaBackend : public Backend {
public:
  NvidiaBackend(unsigned capability, const CompileOptions &options) : capability_(capability), options_(options) {}

  void addStagePasses(OpPassManager &passes) override { buildStagePipeline(passes, options_.numWarps, capability_); }
  void addLlvmPasses(OpPassManager &passes) override { buildLlvmPipeline(passes); }
  Result<std::unique_ptr<llvm::Module>> translate(ModuleOp module, llvm::LLVMContext &context) override {
    if (capability_ < 75)
      return kernelFailure("the NVIDIA engine needs compute capability 7.5 or later, got " +
                           std::to_string(capability_ / 10) + "." + std::to_string(capability_ % 10));
    return translateToLlvm(module, context, capability_, watch);
  }
  Result<std::string> emitText(llvm::Module &module) override { return emitPtx(module, capability_, watch); }
  Result<std::string> emitCode(llvm::Module &module) override { return emitPtx(module, capability_, watch); }
  void fillPlan(ModuleOp module, LaunchPlan &plan) override {
    plan.threadsPerProgram = 32 * numWarpsOf(module);
    plan.sharedBytes = sharedBytesOf(module);
  }

private:
  unsigned capability_;
  CompileOptions options_;
};

} // namespace

void addNvidiaPipelines() {
  registerPass([] { return createAssignLayoutsPass(); });
  registerPass(createAllocateSharedPass);
  registerPass(createInsertBarriersPass);
  registerPass(createVerifyStagePass);
  registerPass(createLowerToLlvmPass);
  registerPass(createVerifyLlvmStagePass);
  static PassPipelineRegistration<StageOptions> stage(
      "tile-to-nvidia", "tile IR -> the stage 'nvidia', as the driver does it",
      [](OpPassManager &passes, const StageOptions &options) {
        buildStagePipeline(passes, options.numWarps, options.capability);
      });
  static PassPipelineRegistration<> llvm("nvidia-to-llvm",
                                         "the stage 'nvidia' -> the LLVM dialect, as the driver does it",
                                         [](OpPassManager &passes) { buildLlvmPipeline(passes); });
}

} // namespace tilewise::nv

namespace tilewise {

std::unique_ptr<Backend> createNvidiaBackend(const Target &target, const CompileOptions &options) {
  return std::make_unique<nv::NvidiaBackend>(target.capability ? target.capability : 90, options);
}

} // namespace tilewise
