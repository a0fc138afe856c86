// Files that a kernel file imports from its neighbourhood -> their environments, read and parsed
// once per compile.
//
// `from .utils import f` looks beside the file, `from ..ops.utils import f` one folder up, and
// `from pkg.ops import f` in the file's folder and in each folder above it, as Python would with
// the package's root on its path. Only `NAME.py` and `NAME/__init__.py` are ever read.
#pragma once

#include "frontend/python/FileEnvironment.h"

namespace tilewise::frontend {

class ModuleLoader {
public:
  /// A file's text, or nothing when there is no such file.
  using Read = std::function<std::optional<std::string>(const std::string &path)>;
  explicit ModuleLoader(Read read = readFile) : read_(std::move(read)) {}

  /// The module `dotted` with `level` leading dots, as seen from a file; null when no file is it.
  FileEnvironment *find(const SourceFile &from, llvm::StringRef dotted, unsigned level);

  CompileFacts facts; ///< Of every file that is loaded.
  /// Told of what had to be assumed to evaluate module-level code.
  std::function<void(SourceLoc loc, std::string message)> onAssumption;

  static std::optional<std::string> readFile(const std::string &path);

private:
  struct Loaded {
    std::unique_ptr<SourceFile> file;
    std::unique_ptr<ast::Module> module;
    std::unique_ptr<FileEnvironment> environment;
  };
  FileEnvironment *load(const std::string &path);

  Read read_;
  /// By path; without an environment when there is no such file.
  std::map<std::string, Loaded> loaded_;
  size_t bytesLeft_ = 64u << 20;
};

} // namespace tilewise::frontend
