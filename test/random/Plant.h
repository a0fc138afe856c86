// Mistakes that a compiler could make, planted on purpose: each changes the tile IR that the engine
// under test compiles, and none else.
#pragma once

#include "driver/Compile.h"

#include <vector>

namespace tilewise::random {

struct Plant {
  const char *name;
  /// How many places were changed.
  int (*apply)(mlir::ModuleOp module);
};
/// Number n is plants()[n - 1].
const std::vector<Plant> &plants();

/// The failure's message when the kernel has nothing that the mistake could change.
inline constexpr const char *kNotPlanted = "not planted";

/// As the driver's `compile` for the CPU engine, with the mistake made between the passes on tile
/// IR and the engine.
Result<Artifact> compilePlanted(const CompileRequest &request, int plant);

} // namespace tilewise::random
