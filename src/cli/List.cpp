// tilewise list: the kernels of a file with their parameters.
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"

#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

int listCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs()
        << "usage: tilewise list FILE...\n       tilewise list --language\n\n"
           "Prints each kernel of the files: its place, name and parameters, and whether @triton.autotune or\n"
           "@triton.heuristics chooses some of them; with --language, every function of the language with its\n"
           "parameters (docs/reference has a page for each).\n";
    return kDone;
  }
  const bool wantsLanguage = arguments.takeFlag("--language");
  std::vector<std::string> files = arguments.takeRest();
  if (!arguments.problem().empty())
    return reportUsage("list", arguments.problem());
  if (wantsLanguage)
    return files.empty() ? listLanguage() : reportUsage("list", "--language takes no files");
  if (files.empty())
    return reportUsage("list", "a kernel file is missing");
  for (const std::string &path : files) {
    Result<std::unique_ptr<SourceFile>> file = readSource(path);
    if (!file)
      return report(file.failure());
    Diagnostics diagnostics;
    const std::vector<frontend::KernelInfo> kernels = frontend::listKernels(**file, diagnostics);
    if (kernels.empty() && !diagnostics.hasErrors())
      llvm::errs() << "'" << path << "' has no kernels: functions with @triton.jit\n";
    for (const frontend::KernelInfo &kernel : kernels) {
      llvm::outs() << path << ':' << kernel.loc.line << ": " << kernel.name << '(';
      for (auto [index, parameter] : llvm::enumerate(kernel.parameters)) {
        llvm::outs() << (index ? ", " : "") << parameter.name;
        if (!parameter.annotation.empty())
          llvm::outs() << ": " << parameter.annotation;
        if (!parameter.defaultValue.empty())
          llvm::outs() << " = " << parameter.defaultValue;
      }
      llvm::outs() << ")" << (kernel.isAutotuned ? "  @triton.autotune" : "")
                   << (kernel.hasHeuristics ? "  @triton.heuristics" : "") << "\n";
    }
    if (diagnostics.hasErrors())
      return report(kernelFailure(diagnostics.render()));
  }
  return kDone;
}

} // namespace tilewise::cli
