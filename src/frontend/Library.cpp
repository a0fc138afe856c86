// The standard library: its embedded text, parsed once per thread that compiles.
#include "frontend/Library.h"

#include "frontend/FileEnvironment.h"
#include "frontend/Parser.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewise::frontend {

static constexpr char kText[] =
#include "frontend/Stdlib.inc"
    ;

const SourceFile &librarySource() {
  static const SourceFile source("<tilewise>/stdlib.py", kText);
  return source;
}

namespace {

/// Syntax trees parse their bodies on demand and environments evaluate lazily, so each thread has its own.
struct ThreadLibrary {
  Diagnostics diagnostics;
  std::unique_ptr<ast::Module> module = parseModule(librarySource(), diagnostics);
  FileEnvironment environment{*module, {}};
};

} // namespace

static ThreadLibrary &library() {
  static thread_local ThreadLibrary instance;
  return instance;
}

std::optional<Operand> libraryFunction(llvm::StringRef name) {
  if (name.starts_with("_") || !library().module->findFunction(name))
    return std::nullopt;
  auto found = library().environment.lookup(name, LookupUse::Kernel);
  return found ? *found : std::nullopt;
}

std::optional<Operand> libraryMember(llvm::StringRef prefix, llvm::StringRef name) {
  std::string full = (prefix + name).str();
  if (!library().module->findFunction(full))
    return std::nullopt;
  auto found = library().environment.lookup(full, LookupUse::Kernel);
  return found ? *found : std::nullopt;
}

std::vector<std::string> libraryNames() {
  std::vector<std::string> names;
  for (const ast::FunctionDef *function : library().module->functions())
    if (!function->name.starts_with("_"))
      names.push_back(function->name.str());
  return names;
}

bool isLibraryMethod(llvm::StringRef name) {
  static constexpr llvm::StringLiteral kMethods[] = {"max",     "min",       "argmax",  "argmin",     "sum",
                                                     "xor_sum", "reduce_or", "sigmoid", "softmax",    "cumsum",
                                                     "cumprod", "flip",      "sort",    "atomic_poll"};
  return llvm::is_contained(kMethods, name);
}

} // namespace tilewise::frontend
