// Names of a kernel as names of C and C++. Kernels may call a parameter `default`, which is a word
// of C, or `grid`, which the launch function takes already.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>

namespace tilewise::aot {

/// Whether the launch function may be called so: an identifier that is no word of C or C++, and no
/// other function of the generated code.
bool isNameInC(llvm::StringRef name);

/// The name, with underscores appended until it is none of the languages' words, none that the
/// generated code uses, and none of `taken`.
std::string parameterNameInC(llvm::StringRef name, const std::set<std::string> &taken);

} // namespace tilewise::aot
