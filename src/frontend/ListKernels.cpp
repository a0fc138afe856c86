// A kernel file -> its kernels: the functions decorated with `jit`, by whatever name its module goes.
#include "frontend/Frontend.h"
#include "frontend/Parser.h"

namespace tilewise::frontend {

/// `tl.constexpr`, `constexpr`, or the same as a string, as `from __future__ import annotations` users write it.
static bool isConstexpr(const ast::Expr *annotation) {
  if (!annotation)
    return false;
  if (auto *constant = llvm::dyn_cast<ast::Constant>(annotation))
    return constant->isStr() && (constant->text == "constexpr" || constant->text.ends_with(".constexpr"));
  return !llvm::isa<ast::Call>(annotation) && ast::lastName(annotation) == "constexpr";
}

std::vector<KernelInfo> listKernels(const SourceFile &file, Diagnostics &diagnostics, bool everyFunction) {
  std::unique_ptr<ast::Module> module = parseModule(file, diagnostics);
  std::vector<KernelInfo> kernels;
  for (const ast::FunctionDef *function : module->functions()) {
    if (!everyFunction && !function->decorator("jit"))
      continue;
    if (const Diagnostic *error = function->headerError) {
      diagnostics.error(error->loc, error->message).notes = error->notes;
      continue;
    }
    KernelInfo kernel{function->name.str(), function->loc, {}};
    for (const ast::Parameter &parameter : function->parameters) {
      auto textOf = [&](const ast::Expr *expr) { return expr ? module->text(*expr).str() : std::string(); };
      kernel.parameters.push_back({parameter.name.str(), isConstexpr(parameter.annotation),
                                   textOf(parameter.annotation), textOf(parameter.defaultValue)});
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

} // namespace tilewise::frontend
