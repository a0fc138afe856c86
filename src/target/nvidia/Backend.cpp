// The NVIDIA back end: the passes, then LLVM IR, then PTX.
#include "target/Backend.h"
#include "passes/Warn.h"
#include "target/PtxTools.h"

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
  void prepare(ModuleOp module) override {
    if (options_.warnings.has(Warning::Perf))
      module->setAttr(tile::kWarnPerfAttr, UnitAttr::get(module.getContext()));
  }
  Result<void> check() override {
    if (capability_ < 75)
      return kernelFailure("the NVIDIA engine needs compute capability 7.5 or later, got " +
                           std::to_string(capability_ / 10) + "." + std::to_string(capability_ % 10));
    if (options_.maxRegisters && (options_.maxRegisters < 16 || options_.maxRegisters > 255))
      return launchFailure("a thread of a GPU has 16 to 255 registers, max_registers is " +
                           std::to_string(options_.maxRegisters));
    return {};
  }
  std::vector<Stage> stages() override {
    return {{"placed", [this](OpPassManager &passes) { nvidia::buildPlacePipeline(passes, options_, capability_); },
             /*joinsNext=*/true},
            {"nvidia", nvidia::buildSchedulePipeline},
            {"llvm-dialect", nvidia::buildLlvmPipeline}};
  }
  LineInfo lineInfo() const override { return options_.lineTables ? LineInfo::Directives : LineInfo::None; }
  Result<std::unique_ptr<llvm::Module>> translate(ModuleOp module, llvm::LLVMContext &context) override {
    return nvidia::translateToLlvm(module, context, capability_, options_.maxRegisters, observer);
  }
  Result<std::string> emitText(llvm::Module &module) override { return nvidia::emitPtx(module, capability_, observer); }
  Result<std::string> emitMachineText(llvm::StringRef ptx) override {
    const std::string ptxas = findPtxas();
    if (ptxas.empty())
      return launchFailure("machine code of a GPU is made by ptxas, which is not here: install CUDA's, or the package "
                           "nvidia-cuda-nvcc, and put it into PATH or its path into TILEWISE_PTXAS");
    Result<std::string> machineCode = assemblePtx(ptxas, ptx, int(capability_));
    return machineCode ? disassemble(*machineCode) : machineCode;
  }
  Result<std::string> emitCode(ModuleOp, llvm::Module *llvm) override {
    return nvidia::emitPtx(*llvm, capability_, observer);
  }
  llvm::StringRef textFile() const override { return "code.ptx"; }
  void fillPlan(ModuleOp module, LaunchPlan &plan) override {
    plan.threadsPerProgram = nvidia::NvidiaMachine(capability_).lanes() * gpu::allWarpsOf(module);
    plan.sharedBytes = gpu::sharedBytesOf(module);
    for (int32_t argument : gpu::checkedArgumentsOf(module))
      plan.checkedParameters.push_back(uint32_t(argument));
    plan.tensorMaps = gpu::tensorMapsOf(module);
    plan.repeatsPrograms = gpu::repeatsPrograms(module);
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
