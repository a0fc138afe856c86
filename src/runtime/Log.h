// What the library has to say beside errors, handed to the host's callback: a library does not print.
#pragma once

#include "support/Diagnostics.h"
#include "support/Warnings.h"
#include "tilewise/tilewise.h"

#include <string>

namespace tilewise {

void setLogCallback(tw_log_callback callback, void *user);
void log(tw_log_level level, const std::string &message);
/// Every warning and note of a compile, as its own message; errors are told by the call that failed.
void log(const Diagnostics &diagnostics);

/// Which warnings compiles look for: those of the knob TILEWISE_WARNINGS, until set.
WarningSet warnings();
Result<void> setWarnings(llvm::StringRef flags);

} // namespace tilewise
