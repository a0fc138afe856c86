// The names by which an object refers to functions of the process that runs it; HostCalls.h says
// what they are.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewise::cpu {

inline constexpr llvm::StringLiteral kHostPrefix = "tilewise_";
inline constexpr llvm::StringLiteral kLibdevicePrefix = "tilewise_libdevice_";
inline constexpr llvm::StringLiteral kDelegated = "tilewise_delegated";

} // namespace tilewise::cpu
