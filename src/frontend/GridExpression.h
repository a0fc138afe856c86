// The grid of a launch as a person writes it: numbers, or expressions of the arguments.
//
//     16,4                      [16, 4]
//     cdiv(n, BLOCK), 4         [10, 4] for n = 10000 and BLOCK = 1024
#pragma once

#include "support/Error.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <vector>

namespace tilewise::frontend {

/// `arguments` are the texts of literals by the names of parameters. `cdiv`, `next_power_of_2` and
/// Python's own functions can be used; the failure says what the grid should be.
Result<std::vector<int64_t>> evaluateGrid(llvm::StringRef text, const llvm::StringMap<std::string> &arguments);

} // namespace tilewise::frontend
