// Runs a list of passes over a module as one named stage: timed, printed where asked, its errors
// told at the kernel's line.
#pragma once

#include "driver/Compile.h"
#include "target/LineTables.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewise {

/// Collects what MLIR reports while it lives, with places mapped back to the kernel's file.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext &context, const frontend::EmitRequest &kernel, Diagnostics &diagnostics);

  /// Whose fault the errors so far are; ours when one of them is, or when there was none.
  ErrorKind fault() const { return fault_.value_or(ErrorKind::Internal); }

private:
  std::optional<ErrorKind> fault_;
  mlir::ScopedDiagnosticHandler handler_;
};

/// The user's place behind an MLIR location, and how control came there. An op inside the standard
/// library is shown at the call into it.
struct SourceTrace {
  SourceLoc place;
  std::vector<Diagnostic> notes;
};
SourceTrace sourceTraceOf(mlir::Location loc, const frontend::EmitRequest &kernel, Diagnostics &diagnostics);

/// The text of the kernel, or of what it calls, that has this line; null when there is none.
const SourceFile *fileWithLine(const frontend::EmitRequest &kernel, llvm::StringRef path, uint32_t line);

/// The function of the user's texts whose `def` is the nearest above a line.
FunctionInText functionAt(const frontend::EmitRequest &kernel, llvm::StringRef path, uint32_t line);

/// False after an error. `stage` is the name under which the time is kept. Builds for debugging
/// verify the module after each pass, others after the last, unless the stage ends in nothing new
/// or in what the next step checks by itself.
bool runPasses(mlir::ModuleOp module, llvm::StringRef stage, const CompileObserver &observer,
               llvm::function_ref<void(mlir::OpPassManager &)> addPasses, bool isCheckedNext = false);

} // namespace tilewise
