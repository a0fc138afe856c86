// Types for the parameters of a kernel that comes without any: by its text and its names.
#pragma once

#include "frontend/Frontend.h"

#include <string>

namespace tilewise::cli {

/// A signature as `tilewise emit` takes it, with pointers to `element`. Pointers are parameters
/// that loads and stores begin with, or whose name ends in "ptr"; constants have their default, or
/// a value that fits their name; all else is i32 or, by its name, fp32.
std::string guessSignature(const SourceFile &file, const frontend::KernelInfo &kernel, llvm::StringRef element);

} // namespace tilewise::cli
