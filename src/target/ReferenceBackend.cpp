// The reference engine's back end: tile IR is the code, with the lines it comes from.
#include "target/Backend.h"

namespace tilewise {

namespace {

class ReferenceBackend : public Backend {
public:
  llvm::StringRef name() const override { return "reference"; }
  bool showsLines(mlir::ModuleOp) const override { return true; }
  std::vector<Stage> stages() override { return {}; }
  Result<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp, llvm::LLVMContext &) override { return noLlvm(); }
  Result<std::string> emitText(llvm::Module &) override { return noLlvm(); }
  llvm::StringRef textFile() const override { return {}; }
  Result<std::string> emitCode(mlir::ModuleOp module, llvm::Module *) override {
    std::string text;
    llvm::raw_string_ostream os(text);
    mlir::OpPrintingFlags flags;
    module->print(os, flags.enableDebugInfo());
    os << '\n';
    return text;
  }
  void fillPlan(mlir::ModuleOp, LaunchPlan &) override {}

private:
  static Failure noLlvm() { return internalFailure("the reference engine makes no LLVM IR"); }
};

} // namespace

std::unique_ptr<Backend> createReferenceBackend() { return std::make_unique<ReferenceBackend>(); }

} // namespace tilewise
