// The walk of a kernel: text -> tile IR -> passes -> engine -> Artifact, as one function, and as far as a named stage.
#pragma once

#include "frontend/Blame.h"
#include "frontend/Frontend.h"
#include "support/Timer.h"
#include "target/Artifact.h"
#include "target/Backend.h"

#include <functional>
#include <string>

namespace tilewise {

struct CompileRequest {
  frontend::EmitRequest kernel;
  Target target;
  CompileOptions options;
  /// Of a launch: what it knows of the parameters. A text that would compile for other arguments is then the launch's error, which names them.
  std::vector<frontend::LaunchedParameter> launched;
};

/// What a caller may watch; all optional.
struct CompileWatch {
  /// Time per room, and per pass; LLVM's passes are under "llvm:" and their names.
  StageTimes *times = nullptr;
  StageTimes *passTimes = nullptr;
  /// IR, or machine code, after each pass that changed it, to this stream.
  llvm::raw_ostream *printChanged = nullptr;
  /// All that was found, warnings and notes too; of a failure, its errors are also in the failure's message.
  Diagnostics *diagnostics = nullptr;
  /// A folder for the text of every stage, see Dump.h; empty means that of the knob TILEWISE_DUMP_DIR.
  std::string dumpDir;
};

Result<Artifact> compile(const CompileRequest &request, const CompileWatch &watch = {});

/// The kernel's text form at a stage: tokens, ast, tile, opt, nests, cpu, nvidia, llvm, asm, ptx.
Result<std::string> emitStage(const CompileRequest &request, llvm::StringRef stage, const CompileWatch &watch = {});
/// Whether some target has a stage of this name.
bool isStage(llvm::StringRef name);

/// All dialects that any stage uses, for contexts of our own and for tilewise-opt.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace tilewise
