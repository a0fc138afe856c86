// The device library: the mathematics functions that no instruction computes, as LLVM bitcode
// inside our library.
#pragma once

#include "support/Error.h"

#include "llvm/IR/Module.h"

#include <string>

namespace tilewise::nvidia {

/// The name under which the device library has a function of libdevice, such as "sinf".
inline std::string deviceFunctionName(llvm::StringRef symbol) { return ("tilewise_" + symbol).str(); }
/// Whether the device library has a function by libdevice's symbol.
bool hasDeviceFunction(llvm::StringRef symbol);
/// Gives a module the functions of the device library that it calls, and all that they call, as its
/// own.
Result<void> linkDeviceLibrary(llvm::Module &module);

} // namespace tilewise::nvidia
