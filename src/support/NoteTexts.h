// Notes that tell how control came to a place: those who look at a report piece by piece know them by their texts.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewise {

/// Where in the standard library an error came from.
inline constexpr llvm::StringLiteral kInsideLibrary = "inside the standard library";
/// Where a function was called, or `'f' was ` before it.
inline constexpr llvm::StringLiteral kCalledFromHere = "called from here";

} // namespace tilewise
