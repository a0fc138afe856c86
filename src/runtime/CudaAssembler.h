// PTX -> machine code by ptxas, where there is one.
#pragma once

#include "support/Error.h"

#include <string>

namespace tilewise::cuda {

/// The ptxas to use: TILEWISE_PTXAS, else one in PATH, else CUDA's usual folder; empty when there
/// is none.
std::string findPtxas();

/// Machine code for a compute capability such as 90; the failure holds what ptxas said.
Result<std::string> assemble(const std::string &ptxas, const std::string &ptx, int capability);

} // namespace tilewise::cuda
