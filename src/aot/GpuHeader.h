// A kernel compiled for a GPU -> a C header that holds its PTX, loads it and launches it by the
// CUDA driver.
#pragma once

#include "artifact/Artifact.h"
#include "support/Error.h"

#include <string>

namespace tilewise::aot {

/// `name` is a C identifier, `origin` for people: "softmax.py:softmax".
Result<std::string> writeGpuHeader(const std::string &name, const std::string &origin, const Artifact &code);

} // namespace tilewise::aot
