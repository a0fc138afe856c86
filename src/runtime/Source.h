// What a Source holds; for the files of this room that hand it to the compiler.
#pragma once

#include "frontend/Frontend.h"
#include "runtime/Kernel.h"
#include "runtime/Report.h"
#include "support/SourceLoc.h"

#include <mutex>

namespace tilewise {

struct Source::State {
  State(std::string file, std::string text, uint32_t firstLine) : file(std::move(file), std::move(text), firstLine) {}

  const SourceFile file;

  std::mutex mutex; ///< Guards what follows.
  llvm::StringMap<std::string> defines;
  std::shared_ptr<frontend::Environment> environment;
  /// Functions that other sources asked for. One that reaches its own source through its
  /// environment is kept until the source goes.
  llvm::StringMap<std::shared_ptr<const frontend::FunctionValue>> functions;
  bool isParsed = false;
  Result<void> parseResult;
  Diagnostics parseDiagnostics;
  std::vector<frontend::KernelInfo> infos;
  std::vector<std::string> names;
};

} // namespace tilewise
