// Result -> tw_status, with the message kept for tw_last_error. Nothing below this room throws on
// purpose; what the standard library throws (no memory) ends here, since an exception must not
// cross a C function.
#pragma once

#include "runtime/Report.h"
#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace tilewise {

/// The calling thread's latest message.
std::string &lastError();

inline tw_status fail(Failure failure) {
  while (!failure.message.empty() && failure.message.back() == '\n')
    failure.message.pop_back();
  lastError() = std::move(failure.message);
  switch (failure.kind) {
  case ErrorKind::Kernel:
    return TW_ERROR_KERNEL;
  case ErrorKind::Launch:
    return TW_ERROR_LAUNCH;
  case ErrorKind::Internal:
    break;
  }
  return TW_ERROR_INTERNAL;
}

/// Runs `function`, which returns a Result<void>.
template <typename Function> tw_status guarded(Function &&function) noexcept {
  try {
    latestReport().clear();
    Result<void> result = function();
    return result ? TW_OK : fail(result.takeFailure());
  } catch (const std::bad_alloc &) {
    return fail(launchFailure("out of memory"));
  } catch (const std::exception &exception) {
    return fail(internalFailure(exception.what()));
  }
}

/// A copy that the caller of the C interface owns; the length beside it is for bytes that may hold
/// zeros.
inline char *copyForCaller(const std::string &text) {
  auto *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// Writes a value or gives back the failure.
inline Result<void> returnText(Result<std::string> text, char **to) {
  if (!text)
    return text.takeFailure();
  *to = copyForCaller(*text);
  return {};
}

} // namespace tilewise
