// PTX -> machine code by ptxas, where there is one.
#pragma once

#include "cache/Folder.h"
#include "support/Error.h"

#include <string>

namespace tilewise::cuda {

/// The ptxas to use: TILEWISE_PTXAS, else one in PATH, else CUDA's usual folder; empty when there
/// is none.
std::string findPtxas();

/// Machine code for a compute capability such as 90; the failure holds what ptxas said.
Result<std::string> assemble(const std::string &ptxas, const std::string &ptx, int capability);

/// The same, or what an earlier run of this very program left in the disk cache, which may be null:
/// running it takes a tenth of a second and more.
Result<std::string> assembleOrRecall(const std::string &ptxas, const std::string &ptx, int capability,
                                     cache::Folder *folder = cache::Folder::ofProcess());

} // namespace tilewise::cuda
