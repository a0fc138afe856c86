// The CPU back end: the steps of Backend.h by the passes and emitters of this folder.
#include "target/Backend.h"
#include "ir/Tile.h"
#include "passes/Warn.h"
#include "target/cpu/Passes.h"
#include "target/cpu/llvm/EmitObject.h"

#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace tilewise {

namespace {

/// What LLVM reports as an error while the object lives becomes a failure of ours.
class LlvmErrors {
public:
  explicit LlvmErrors(llvm::LLVMContext &context) : context_(context) {
    context_.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) {
          if (info->getSeverity() != llvm::DS_Error)
            return;
          llvm::raw_string_ostream os(static_cast<LlvmErrors *>(self)->text_);
          llvm::DiagnosticPrinterRawOStream printer(os);
          info->print(printer);
        },
        this);
  }
  ~LlvmErrors() { context_.setDiagnosticHandlerCallBack(nullptr, nullptr); }
  const std::string &text() const { return text_; }

private:
  llvm::LLVMContext &context_;
  std::string text_;
};

class CpuBackend : public Backend {
public:
  CpuBackend(const Target &target, const LaunchOptions &options)
      : generator_(cpu::takeCodeGenerator(target)), options_(options) {
    if (generator_)
      description_ = (*generator_)->description();
  }

  llvm::StringRef name() const override { return "cpu"; }
  Result<void> check() override { return generator_ ? Result<void>() : Failure(generator_.failure()); }
  void prepare(mlir::ModuleOp module) override {
    if (options_.warnings.has(Warning::Perf))
      module->setAttr(tile::kWarnPerfAttr, mlir::UnitAttr::get(module.getContext()));
  }
  /// What prints, asserts or checks tells where.
  bool showsLines(mlir::ModuleOp module) const override {
    bool speaks = options_.checked;
    module->walk([&](mlir::Operation *op) { speaks |= mlir::isa<tile::TellsPeople>(op); });
    return speaks;
  }
  std::vector<Stage> stages() override {
    return {{"nests",
             [this](mlir::OpPassManager &passes) { cpu::buildCpuPlanPipeline(passes, description_, options_.checked); },
             /*joinsNext=*/true},
            {"cpu", [this](mlir::OpPassManager &passes) { cpu::buildCpuEmitPipeline(passes, description_); }},
            {"llvm-dialect", cpu::buildCpuLlvmPipeline}};
  }
  LineInfo lineInfo() const override { return options_.lineTables ? LineInfo::Tables : LineInfo::None; }

  Result<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context) override {
    std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context, "kernel");
    if (!result)
      return internalFailure("the LLVM dialect could not be translated to LLVM IR");
    llvm::TargetMachine &machine = (*generator_)->machine();
    result->setTargetTriple(machine.getTargetTriple().str());
    result->setDataLayout(machine.createDataLayout());
    // LLVM prefers half registers on some processors to keep their clock up; nests are made for
    // whole ones.
    std::string bits = std::to_string(description_.vectorBytes * 8);
    for (llvm::Function &function : *result) {
      function.addFnAttr("prefer-vector-width", bits);
      function.addFnAttr("min-legal-vector-width", bits);
      function.addFnAttr("target-cpu", machine.getTargetCPU());
      function.addFnAttr("target-features", machine.getTargetFeatureString());
      function.setDoesNotThrow();
    }
    // Before, so that nothing is hoisted as a float; and after, since a load that is only
    // reinterpreted becomes a load of what it is taken for.
    cpu::carryNarrowFloatsAsBits(*result, /*carryHalf=*/!description_.hasHalf);
    (*generator_)->optimize(*result, observer);
    cpu::carryNarrowFloatsAsBits(*result, /*carryHalf=*/!description_.hasHalf);
    return result;
  }

  /// Of a copy: what LLVM does to a module on the way to instructions would show in whatever is
  /// emitted from it next.
  Result<std::string> emitText(llvm::Module &module) override {
    return emit(*llvm::CloneModule(module), llvm::CodeGenFileType::AssemblyFile);
  }
  Result<std::string> emitCode(mlir::ModuleOp, llvm::Module *llvm) override {
    return emit(*llvm, llvm::CodeGenFileType::ObjectFile);
  }
  llvm::StringRef textFile() const override { return "asm.s"; }
  llvm::StringRef codeFile() const override { return "object.o"; }

  void fillPlan(mlir::ModuleOp module, LaunchPlan &plan) override {
    if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(cpu::kScratchBytesAttr))
      plan.scratchBytes = uint32_t(bytes.getInt());
    if (auto bytes = module->getAttrOfType<mlir::IntegerAttr>(cpu::kStoredBytesAttr))
      plan.storedBytes = uint64_t(bytes.getInt());
    if (auto threads = module->getAttrOfType<mlir::IntegerAttr>(cpu::kAloneThreadsAttr))
      plan.aloneThreads = uint32_t(threads.getInt());
    if (auto order = module->getAttrOfType<mlir::DenseI64ArrayAttr>(cpu::kProgramOrderAttr))
      llvm::copy(order.asArrayRef(), plan.programOrder.begin());
    if (auto ops = module->getAttrOfType<mlir::StringAttr>(cpu::kDelegatedOpsAttr))
      plan.delegatedOps = ops.str();
  }

private:
  Result<std::string> emit(llvm::Module &module, llvm::CodeGenFileType kind) {
    if (!generator_)
      return Failure(generator_.failure());
    LlvmErrors errors(module.getContext());
    Result<std::string> result = (*generator_)->emit(module, kind, observer);
    if (errors.text().empty())
      return result;
    generator_->get_deleter().isSpoilt = true;
    return internalFailure("LLVM: " + errors.text());
  }

  Result<cpu::CodeGeneratorHandle> generator_;
  LaunchOptions options_;
  cpu::Machine description_;
};

} // namespace

std::unique_ptr<Backend> createCpuBackend(const Target &target, const LaunchOptions &options) {
  return std::make_unique<CpuBackend>(target, options);
}

} // namespace tilewise
