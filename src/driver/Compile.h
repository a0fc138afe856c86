// The walk of a kernel: text -> tile IR -> passes -> engine -> Artifact, as one function, and as
// far as a named stage.
#pragma once

#include "artifact/Artifact.h"
#include "frontend/Blame.h"
#include "frontend/Frontend.h"
#include "support/Timer.h"
#include "target/Backend.h"

#include <functional>
#include <string>

namespace tilewise {

struct CompileRequest {
  frontend::EmitRequest kernel;
  Target target;
  LaunchOptions options;
  /// The name of the code's entry point; empty means the kernel's.
  std::string entry;
  /// Of a launch: what it knows of the parameters. A text that would compile for other arguments is
  /// then the launch's error, which names them.
  std::vector<frontend::LaunchedParameter> launched;
};

/// A warning that holds for launches on some grids, see passes/GridLints.h.
struct CompiledLint {
  uint8_t whenSeveral = 0, whenRankIsAtMost = 0;
  std::string text; ///< As it is told: line, message, note.
};

/// What a caller may observe; all optional.
struct CompileObserver {
  /// Time per room, and per pass; LLVM's passes are under "llvm:" and their names.
  StageTimes *times = nullptr;
  StageTimes *passTimes = nullptr;
  /// IR, or machine code, after each pass that changed it, to this stream.
  llvm::raw_ostream *printChanged = nullptr;
  /// All that was found, warnings and notes too; of a failure, its errors are also in the failure's
  /// message.
  Diagnostics *diagnostics = nullptr;
  std::vector<CompiledLint> *gridLints = nullptr;
  /// A folder for the text of every stage, see Dump.h; empty means that of the knob
  /// TILEWISE_DUMP_DIR.
  std::string dumpDir;
};

/// A failure of ours leaves a reproducer behind, see Reproducer.h.
Result<Artifact> compile(const CompileRequest &request, const CompileObserver &observer = {});
/// From the tile IR that the front end made of the request.
Result<Artifact> compileTile(const CompileRequest &request, llvm::StringRef tile);

/// A stage that `tilewise emit` can show, by its name.
struct StageInfo {
  llvm::StringLiteral name;
  std::optional<Engine> engine = std::nullopt; ///< The one engine that has it; none means all.
  bool isCode = false;                         ///< What the engine runs, as text.
};
/// The failure lists the names there are.
Result<const StageInfo *> findStage(llvm::StringRef name);

/// The kernel's text form at a stage.
Result<std::string> emitStage(const CompileRequest &request, llvm::StringRef stage,
                              const CompileObserver &observer = {});

/// All dialects that any stage uses, for contexts of our own and for tilewise-opt.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace tilewise
