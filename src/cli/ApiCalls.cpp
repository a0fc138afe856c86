// Calls of the C interface that several commands make.
#include "cli/ApiCalls.h"
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

Failure lastFailure(tw_status status) {
  constexpr ErrorKind kinds[] = {ErrorKind::Internal, ErrorKind::Kernel, ErrorKind::Launch, ErrorKind::Internal};
  return {kinds[status], tw_last_error()};
}

Result<void> check(tw_status status) { return status == TW_OK ? Result<void>() : Result<void>(lastFailure(status)); }

Result<Handle<tw_kernel>> createKernel(llvm::StringRef pathAndName, const Defines &defines) {
  auto [path, name] = splitKernelPath(pathAndName);
  tw_source *opened = nullptr;
  TILEWISE_CHECK(check(tw_source_open(path.c_str(), &opened)));
  Handle<tw_source> source(opened);
  for (const auto &[defined, value] : defines)
    TILEWISE_CHECK(check(tw_source_define(opened, defined.c_str(), value.c_str())));
  tw_kernel *kernel = nullptr;
  TILEWISE_CHECK(check(tw_kernel_create(opened, name.empty() ? nullptr : name.c_str(), &kernel)));
  return Handle<tw_kernel>(kernel);
}

std::pair<llvm::StringRef, llvm::StringRef> splitArgument(llvm::StringRef word) {
  auto [name, value] = word.split('=');
  const bool isNamed =
      value.data() && !name.empty() && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isNamed ? std::pair(name, value) : std::pair(llvm::StringRef(), word);
}

void logToStandardError() {
  tw_set_log_callback([](tw_log_level, const char *message, void *) { tellOnce(message); }, nullptr);
}

} // namespace tilewise::cli
