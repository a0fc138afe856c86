// The C interface as commands use it that launch kernels: failed calls as Failures, handles that
// own, a kernel opened, an argument's word taken apart.
#pragma once

#include "cli/Arguments.h"
#include "support/Error.h"
#include "tilewise/tune.h"

#include <memory>

namespace tilewise::cli {

/// Of a call that failed.
Failure lastFailure(tw_status status);
Result<void> check(tw_status status);

struct Destroy {
  void operator()(tw_source *source) const { tw_source_destroy(source); }
  void operator()(tw_kernel *kernel) const { tw_kernel_destroy(kernel); }
  void operator()(tw_tensor *tensor) const { tw_tensor_destroy(tensor); }
  void operator()(tw_tuner *tuner) const { tw_tuner_destroy(tuner); }
};
template <typename T> using Handle = std::unique_ptr<T, Destroy>;

/// FILE[:KERNEL], with other values for some of the file's names.
Result<Handle<tw_kernel>> createKernel(llvm::StringRef pathAndName, const Defines &defines);

/// NAME=ARGUMENT cut at its first '='; the name is empty where there is none.
std::pair<llvm::StringRef, llvm::StringRef> splitArgument(llvm::StringRef word);

/// Warnings and notes go to standard error, each on a line of its own.
void logToStandardError();

} // namespace tilewise::cli
