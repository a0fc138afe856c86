// A grid's text -> numbers, by the evaluator of module-level code.
#include "frontend/GridExpression.h"

#include "frontend/python/FileEnvironment.h"
#include "frontend/python/ModuleLoader.h"
#include "frontend/syntax/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

static Failure wrongGrid(llvm::StringRef text, const std::string &why) {
  return launchFailure("the grid has one to three whole numbers, or expressions of the arguments, as in 'cdiv(n, "
                       "BLOCK), 4'; got '" +
                       text.str() + "'" + (why.empty() ? "" : ": " + why));
}

/// What a grid can be made of.
static std::string numbersAmong(const llvm::StringMap<std::string> &arguments) {
  std::vector<std::string> names;
  for (llvm::StringRef name : arguments.keys())
    names.push_back(name.str());
  llvm::sort(names);
  return names.empty() ? "" : "; the arguments' numbers are " + llvm::join(names, ", ");
}

Result<std::vector<int64_t>> evaluateGrid(llvm::StringRef text, const llvm::StringMap<std::string> &arguments) {
  SourceFile file("grid", "import triton\nfrom triton import cdiv, next_power_of_2\nGRID = (" + text.str() + ",)\n");
  Diagnostics diagnostics;
  std::unique_ptr<ast::Module> module = parseModule(file, diagnostics);
  if (diagnostics.hasErrors())
    return wrongGrid(text, diagnostics.all().front().message);
  ModuleLoader loader;
  FileEnvironment environment(*module, arguments, &loader);
  auto *assignment = llvm::dyn_cast<ast::Assign>(module->body.back());
  if (!assignment)
    return wrongGrid(text, "");
  Result<Operand> value = environment.evaluateAtEnd(*assignment->value);
  if (!value)
    return wrongGrid(text, value.failure().message +
                               (value.failure().code == MessageCode::UndefinedName ? numbersAmong(arguments) : ""));
  Elements extents = value->elements();
  // As a tuple of its own: "(4, 2)".
  if (extents.size() == 1 && extents[0].isSequence())
    extents = Elements(extents[0].elements());
  std::vector<int64_t> grid;
  for (const Operand &extent : extents) {
    std::optional<int64_t> number = extent.isInt() ? extent.asInt64() : std::nullopt;
    if (!number || *number < 0)
      return wrongGrid(text, extent.repr() + " is no whole number of at least 0");
    grid.push_back(*number);
  }
  if (grid.empty() || grid.size() > 3)
    return wrongGrid(text, std::to_string(grid.size()) + " dimensions");
  return grid;
}

} // namespace tilewise::frontend
