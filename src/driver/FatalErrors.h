// What LLVM ends the process for (an instruction that it cannot select, as a rule) becomes a
// message: a library does not end its host's process.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tilewise {

/// Runs `body` and gives nothing; or, when LLVM gives up inside it, LLVM's message. Then the frames
/// between are left without their destructors: what they held is never freed, and what they worked
/// on (the module, its context, the target machine) must not be touched again, not even destroyed.
std::optional<std::string> catchFatalErrors(llvm::function_ref<void()> body);

} // namespace tilewise
