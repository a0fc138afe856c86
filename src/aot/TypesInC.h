// The types and signatures of kernels, as the headers for C show them.
#pragma once

#include "artifact/Artifact.h"

#include <string>

namespace tilewise::aot {

/// A signature's type in C; empty for none. Floats that C does not have go by their bits.
std::string typeInC(llvm::StringRef type);

/// "x_ptr: *fp32:16, n: i32, BLOCK: 1024"
std::string signatureInC(const Artifact &code);

} // namespace tilewise::aot
