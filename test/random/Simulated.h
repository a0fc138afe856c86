// Kernels for an NVIDIA GPU on the host, thread by thread: an engine for tests on machines without
// one.
#pragma once

#include "driver/Compile.h"
#include "runtime/Executable.h"

#include <memory>

namespace tilewise::random {

/// The kernel lowered for the request's GPU, and run by the thread simulator
/// (test/unit/nvidia/ThreadSimulator.h).
Result<std::unique_ptr<Executable>> loadSimulated(const CompileRequest &request);

} // namespace tilewise::random
