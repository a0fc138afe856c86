// What is said of a kernel, or of a name, that a file does not have.
#pragma once

#include "frontend/Frontend.h"

namespace tilewise::frontend {

/// "; did you mean 'add'?" or "; it has add, scale", or empty where there are none.
std::string otherKernels(llvm::StringRef name, llvm::ArrayRef<KernelInfo> kernels);

/// The launch's failure: the file has no kernel of this name, or none at all.
Failure noSuchKernel(llvm::StringRef path, llvm::StringRef name, llvm::ArrayRef<KernelInfo> kernels);

/// The launch's failure where the file's text does not have a name that is given another value.
Result<void> checkDefined(const SourceFile &file, llvm::StringRef name);

/// "add, scale"
std::string namesOf(llvm::ArrayRef<KernelInfo> kernels);

} // namespace tilewise::frontend
