// A handler that jumps back to where the thread entered LLVM.
#include "driver/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <cstdio>
#include <mutex>
#include <utility>

namespace tilewise {

namespace {

struct Entered {
  std::jmp_buf jump;
  std::string message;
  Entered *outer;
};
thread_local constinit Entered *innermost = nullptr;

/// Outside of `catchFatalErrors` it does what LLVM does without a handler; LLVM ends the process
/// when it returns.
void onFatalError(void *, const char *reason, bool) {
  if (!innermost) {
    std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return;
  }
  innermost->message = reason;
  std::longjmp(innermost->jump, 1);
}

} // namespace

std::optional<std::string> catchFatalErrors(llvm::function_ref<void()> body) {
  // LLVM is ours alone: the library keeps its symbols to itself, so this is not the handler of a
  // host that has LLVM too.
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(onFatalError); });
  Entered entered;
  entered.outer = std::exchange(innermost, &entered);
  if (setjmp(entered.jump)) {
    innermost = entered.outer;
    return std::move(entered.message);
  }
  body();
  innermost = entered.outer;
  return std::nullopt;
}

} // namespace tilewise
