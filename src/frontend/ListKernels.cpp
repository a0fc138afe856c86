// A kernel file -> its kernels: the functions decorated with `jit`, by whatever name its module goes.
#include "frontend/Frontend.h"
#include "frontend/Parser.h"

namespace tilewise::frontend {

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
      kernel.parameters.push_back({parameter.name.str(), ast::isConstexprAnnotation(parameter.annotation),
                                   textOf(parameter.annotation), textOf(parameter.defaultValue)});
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

} // namespace tilewise::frontend
