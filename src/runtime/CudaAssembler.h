// PTX -> machine code by ptxas, kept on disk.
#pragma once

#include "cache/Folder.h"
#include "support/Error.h"

#include <string>

namespace tilewise::cuda {

/// Machine code for a compute capability such as 90: made by ptxas now, or what an earlier run of
/// this very program left in the disk cache, which may be null. Running it takes a tenth of a
/// second and more.
Result<std::string> assembleOrRecall(const std::string &ptxas, const std::string &ptx, int capability,
                                     cache::Folder *folder = cache::Folder::ofProcess());

} // namespace tilewise::cuda
