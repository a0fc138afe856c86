// A back end: tile IR -> code, in named steps at each of which `tilewise emit` can stop.
#pragma once

#include "support/Error.h"
#include "support/Warnings.h"
#include "target/Artifact.h"
#include "target/PassWatch.h"
#include "target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tilewise {

/// What a launch may ask of the compiler beyond types. An engine ignores what means nothing to it.
struct CompileOptions {
  uint32_t numWarps = 4;
  uint32_t numStages = 3;
  bool fpFusion = true;
  bool debug = false;   ///< Assertions are part of the code.
  bool checked = false; ///< Accesses are checked against the memory of the arguments; the reference engine always does.
  bool lineTables = true; ///< Code says which line it comes from, see LineTables.h; on the CPU.
  WarningSet warnings;

  bool operator==(const CompileOptions &) const = default;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// A failure where nothing can be made for the target, as for a processor that nobody knows. Before the first stage.
  virtual Result<void> check() { return {}; }

  /// Tile IR -> what was decided about the kernel, where an engine writes that down before it acts on it (`--stage=nests`). For a person: addStagePasses
  /// has these passes, too.
  virtual void addPlanPasses(mlir::OpPassManager &) {}
  /// Tile IR -> this engine's own stage (`--stage=cpu`, `--stage=nvidia`); ends in a Verify...Stage pass.
  virtual void addStagePasses(mlir::OpPassManager &passes) = 0;
  /// The engine's stage -> the LLVM dialect; ends in a Verify...Stage pass.
  virtual void addLlvmPasses(mlir::OpPassManager &passes) = 0;
  /// The LLVM dialect -> optimised LLVM IR (`--stage=llvm`).
  virtual Result<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context) = 0;
  /// LLVM IR -> what a person reads (`--stage=asm`, `--stage=ptx`).
  virtual Result<std::string> emitText(llvm::Module &module) = 0;
  /// LLVM IR -> the artifact's code: an ELF object or PTX.
  virtual Result<std::string> emitCode(llvm::Module &module) = 0;
  /// Fills the engine's own fields of the plan from the module after addLlvmPasses; parameters are filled already.
  virtual void fillPlan(mlir::ModuleOp module, LaunchPlan &plan) = 0;

  /// Of the passes that translate, emitText and emitCode run.
  PassWatch watch;
};

std::unique_ptr<Backend> createCpuBackend(const Target &target, const CompileOptions &options);
std::unique_ptr<Backend> createNvidiaBackend(const Target &target, const CompileOptions &options);

} // namespace tilewise
