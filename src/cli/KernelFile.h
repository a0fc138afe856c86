// FILE[:KERNEL] on the command line -> a source file and the name of one of its kernels.
#pragma once

#include "frontend/Frontend.h"
#include "support/Error.h"

#include <memory>
#include <string>

namespace tilewise::cli {

struct KernelFile {
  std::unique_ptr<SourceFile> file;
  frontend::KernelInfo kernel;
};

/// FILE[:KERNEL] cut at its last colon; a file that exists under the whole text is taken whole,
/// without a kernel's name.
std::pair<std::string, std::string> splitKernelPath(llvm::StringRef pathAndKernel);

Result<std::unique_ptr<SourceFile>> readSource(llvm::StringRef path);

/// Without a name the file must have exactly one kernel, or one that no other calls; else the
/// failure lists them.
Result<KernelFile> openKernel(llvm::StringRef pathAndKernel);

} // namespace tilewise::cli
