// The name that somebody may have meant.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewise {

/// The candidate nearest to a misspelt name, or empty when none is near.
std::string nearestName(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);
/// "; did you mean 'x'?", or empty.
std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<std::string> candidates);

} // namespace tilewise
