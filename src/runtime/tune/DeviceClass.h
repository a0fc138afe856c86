// The class of devices that shipped results hold for: processors by their instructions, GPUs by
// their compute capability.
#pragma once

#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <string>

namespace tilewise::tune {

/// "cpu: avx512", "cpu: avx2", "cpu: x86-64", "cpu: aarch64", "cuda:90"
Result<std::string> deviceClass(tw_device device);

} // namespace tilewise::tune
