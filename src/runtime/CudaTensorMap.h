// Tensor maps as the driver encodes them for the copy engine.
#pragma once

#include "artifact/Artifact.h"
#include "runtime/CudaDriver.h"

#include <cstddef>
#include <span>

namespace tilewise::cuda {

/// What the code takes of a tensor, by value.
struct alignas(64) EncodedMap {
  std::byte bytes[128];
};

/// The failure has the code NeedsPlainCopies.
Result<EncodedMap> encodeMap(const Driver &driver, const TensorMapPlan &plan,
                             std::span<const LaunchParameter> parameters, std::span<const uint64_t> slots);

} // namespace tilewise::cuda
