// The processor that we run on: what LLVM may use of it, and whether it can run code made for
// another.
#pragma once

#include "artifact/Target.h"
#include "support/Error.h"

#include <string>

namespace tilewise::cpu {

const std::string &hostName();
/// LLVM's features, as in "+avx2,-avx512f". Tiles (AMX) are among them only when the kernel lets
/// this process use them.
const std::string &hostFeatures();

/// A launch failure that names what is missing where this processor cannot run code for `target`.
Result<void> checkRunsHere(const Target &target);

} // namespace tilewise::cpu
