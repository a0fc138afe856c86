// A back end: tile IR -> code, in named steps at each of which `tilewise emit` can stop.
//
// The driver walks every kernel the same way and asks nothing but this interface: which engine it
// compiles for is known here and in createBackend alone.
#pragma once

#include "artifact/Artifact.h"
#include "artifact/LaunchOptions.h"
#include "artifact/Target.h"
#include "support/Error.h"
#include "target/LineTables.h"
#include "target/PassObserver.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilewise {

class Backend {
public:
  virtual ~Backend() = default;

  /// As messages call the engine: "cpu".
  virtual llvm::StringRef name() const = 0;
  /// A failure where nothing can be made for the target, as for a processor that nobody knows.
  /// Before the first stage.
  virtual Result<void> check() { return {}; }

  /// Before the passes over tile IR that all engines share: takes out what the engine does not run,
  /// with a warning, and marks what its own passes are to see.
  virtual void prepare(mlir::ModuleOp) {}
  /// Whether a launch may show lines of the kernel, so that the code has to carry them.
  virtual bool showsLines(mlir::ModuleOp) const { return false; }

  /// One step from tile IR to the LLVM dialect, by the name of what it makes: `--stage=cpu`. Its
  /// passes end in a Verify...Stage pass.
  struct Stage {
    llvm::StringLiteral name;
    std::function<void(mlir::OpPassManager &)> addPasses;
    bool joinsNext = false; ///< Runs as one with the next stage where nobody looks at what it made.
  };
  /// In order; the last makes the LLVM dialect. None where tile IR itself is the code.
  virtual std::vector<Stage> stages() = 0;
  /// What the LLVM dialect gets of the kernel's lines.
  virtual LineInfo lineInfo() const { return LineInfo::None; }

  /// The LLVM dialect -> optimised LLVM IR (`--stage=llvm`).
  virtual Result<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module, llvm::LLVMContext &context) = 0;
  /// LLVM IR -> what a person reads (`--stage=asm`, `--stage=ptx`).
  virtual Result<std::string> emitText(llvm::Module &module) = 0;
  /// That text -> what a processor runs, as a person reads it (`--stage=sass`).
  virtual Result<std::string> emitMachineText(llvm::StringRef) {
    return internalFailure("the text of this engine is what runs");
  }
  /// The last stage, and LLVM IR where there is any -> the artifact's code: tile IR, an ELF object
  /// or PTX.
  virtual Result<std::string> emitCode(mlir::ModuleOp module, llvm::Module *llvm) = 0;
  /// Files of a dump, see driver/Dump.h: "asm.s", and of the code "object.o" where that is not the
  /// same text.
  virtual llvm::StringRef textFile() const = 0;
  virtual llvm::StringRef codeFile() const { return {}; }
  /// Fills the engine's own fields of the plan from the module after the last stage; parameters are
  /// filled already.
  virtual void fillPlan(mlir::ModuleOp module, LaunchPlan &plan) = 0;

  /// Of the passes that translate, emitText and emitCode run.
  PassObserver observer;
};

/// Null where the library was built without the target's engine.
std::unique_ptr<Backend> createBackend(const Target &target, const LaunchOptions &options);

// One per engine: target/ReferenceBackend.cpp, and a file in the engine's folder.
std::unique_ptr<Backend> createReferenceBackend();
std::unique_ptr<Backend> createCpuBackend(const Target &target, const LaunchOptions &options);
std::unique_ptr<Backend> createNvidiaBackend(const Target &target, const LaunchOptions &options);

} // namespace tilewise
