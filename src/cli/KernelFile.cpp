// Opens a kernel file and picks a kernel by name.
#include "cli/KernelFile.h"

#include "frontend/KernelNames.h"
#include "support/TextFile.h"
#include "support/Try.h"

#include "llvm/Support/FileSystem.h"

namespace tilewise::cli {

std::pair<std::string, std::string> splitKernelPath(llvm::StringRef pathAndKernel) {
  if (llvm::sys::fs::exists(pathAndKernel))
    return {pathAndKernel.str(), ""};
  auto [path, name] = pathAndKernel.rsplit(':');
  return {path.str(), name.str()};
}

Result<std::unique_ptr<SourceFile>> readSource(llvm::StringRef path) {
  TILEWISE_TRY(std::string text, readKernelFile(path.str()));
  return std::make_unique<SourceFile>(path.str(), std::move(text));
}

Result<KernelFile> openKernel(llvm::StringRef pathAndKernel) {
  auto [path, name] = splitKernelPath(pathAndKernel);
  Result<std::unique_ptr<SourceFile>> file = readSource(path);
  if (!file)
    return file.takeFailure();
  Diagnostics diagnostics;
  std::vector<frontend::KernelInfo> kernels = frontend::listKernels(**file, diagnostics);
  if (diagnostics.hasErrors())
    return kernelFailure(diagnostics.render());
  for (frontend::KernelInfo &kernel : kernels)
    if (kernel.name == name || (name.empty() && kernels.size() == 1))
      return KernelFile{std::move(*file), std::move(kernel)};
  if (name.empty() && !kernels.empty())
    return launchFailure("'" + path + "' has several kernels, name one as " + path +
                         ":NAME: " + frontend::namesOf(kernels));
  return frontend::noSuchKernel(path, name, kernels);
}

} // namespace tilewise::cli
