// Kernel files as texts.
#pragma once

#include "support/Error.h"

#include <string>

namespace tilewise {

/// What a kernel file holds; a failure where it cannot be read or is no text.
Result<std::string> readKernelFile(const std::string &path);

} // namespace tilewise
