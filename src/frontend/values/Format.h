// `format(value, spec)` of Python, for f-strings, str.format and format().
#pragma once

#include "frontend/values/Operand.h"

namespace tilewise::frontend {

Result<std::string> formatValue(const Operand &value, llvm::StringRef spec);

} // namespace tilewise::frontend
