// What the library has to say beside errors, and what kernels print: to the host's callbacks, else
// warnings to standard error and prints to standard output.
#pragma once

#include "support/Diagnostics.h"
#include "support/Warnings.h"
#include "tilewise/tilewise.h"

#include <string>

namespace tilewise {

void setLogCallback(tw_log_callback callback, void *user);
void log(tw_log_level level, const std::string &message);
/// What a variable of the environment asks to be told: without a callback it goes to standard
/// error, as warnings do.
void logAsked(const std::string &message);
/// A warning or note of a compile; on standard error a text stands once.
void logOfCompiler(Severity severity, const std::string &text);
/// Every one of them, as its own message; errors are told by the call that failed.
void log(const Diagnostics &diagnostics);

/// Which warnings compiles look for: those of the knob TILEWISE_WARNINGS, until set.
WarningSet warnings();
Result<void> setWarnings(llvm::StringRef flags);

/// Whole lines that a kernel printed; without a callback they go to standard output, where the
/// kernel's author looks for them.
void setPrintCallback(tw_print_callback callback, void *user);
void print(const std::string &text);

} // namespace tilewise
