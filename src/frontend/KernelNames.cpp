// The names of a file's kernels, for messages.
#include "frontend/KernelNames.h"

#include "support/DidYouMean.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

std::string namesOf(llvm::ArrayRef<KernelInfo> kernels) {
  return llvm::join(llvm::map_range(kernels, [](const KernelInfo &kernel) { return kernel.name; }), ", ");
}

std::string otherKernels(llvm::StringRef name, llvm::ArrayRef<KernelInfo> kernels) {
  std::vector<std::string> names;
  for (const KernelInfo &kernel : kernels)
    names.push_back(kernel.name);
  const std::string meant = didYouMean(name, names);
  return !meant.empty() || names.empty() ? meant : "; it has " + namesOf(kernels);
}

Failure noSuchKernel(llvm::StringRef path, llvm::StringRef name, llvm::ArrayRef<KernelInfo> kernels) {
  if (kernels.empty())
    return launchFailure("'" + path.str() + "' has no kernel: a kernel is a function decorated with @triton.jit");
  return launchFailure("'" + path.str() + "' has no kernel '" + name.str() + "'" + otherKernels(name, kernels));
}

} // namespace tilewise::frontend
