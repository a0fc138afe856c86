// Runs a list of passes over a module as one named stage: timed, printed where asked, its errors told at the kernel's line.
#pragma once

#include "driver/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewise {

/// Collects what MLIR reports while it lives, with places mapped back to the kernel's file.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext &context, const SourceFile *file, Diagnostics &diagnostics);

private:
  mlir::ScopedDiagnosticHandler handler_;
};

/// The kernel's place behind an MLIR location: the innermost file, line and column; nothing for an unknown location.
SourceLoc sourceLocOf(mlir::Location loc, const SourceFile *file);

/// False after an error. `stage` is the name under which the time is kept.
bool runPasses(mlir::ModuleOp module, llvm::StringRef stage, const CompileWatch &watch,
               llvm::function_ref<void(mlir::OpPassManager &)> addPasses);

} // namespace tilewise
