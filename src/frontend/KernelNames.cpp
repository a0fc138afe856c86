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

static bool isInName(char c) { return llvm::isAlnum(c) || c == '_'; }

static bool hasWord(llvm::StringRef text, llvm::StringRef word) {
  for (size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isInName(text[at - 1])) && (end == text.size() || !isInName(text[end])))
      return true;
  }
  return false;
}

Result<void> checkDefined(const SourceFile &file, llvm::StringRef name) {
  if (hasWord(file.text(), name))
    return {};
  // Those that begin a line: what the module assigns.
  std::vector<std::string> assigned;
  llvm::StringRef rest = file.text();
  while (!rest.empty()) {
    auto [line, more] = rest.split('\n');
    const llvm::StringRef first = line.take_while(isInName), behind = line.drop_front(first.size()).ltrim();
    if (!first.empty() && (behind.starts_with("=") || behind.starts_with(":")))
      assigned.push_back(first.str());
    rest = more;
  }
  return launchFailure("'" + file.path().str() + "' has no name '" + name.str() + "' to be given another value" +
                       didYouMean(name, assigned));
}

} // namespace tilewise::frontend
