// Opens a kernel file and picks a kernel by name.
#include "cli/KernelFile.h"

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

static std::string namesOf(llvm::ArrayRef<frontend::KernelInfo> kernels) {
  std::string names;
  for (const frontend::KernelInfo &kernel : kernels)
    names += (names.empty() ? "" : ", ") + kernel.name;
  return names;
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
  if (kernels.empty())
    return kernelFailure("'" + path + "' has no kernel: no function is decorated with triton.jit");
  for (frontend::KernelInfo &kernel : kernels)
    if (kernel.name == name || (name.empty() && kernels.size() == 1))
      return KernelFile{std::move(*file), std::move(kernel)};
  if (name.empty())
    return launchFailure("'" + path + "' has several kernels, name one as " + path + ":NAME: " + namesOf(kernels));
  return launchFailure("'" + path + "' has no kernel '" + name + "': it has " + namesOf(kernels));
}

} // namespace tilewise::cli
