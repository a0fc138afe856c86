// Runs kernels in child processes, so that a crash or a hang is one kernel's outcome and not the
// end of the run.
#pragma once

#include "Run.h"

#include <functional>

namespace tilewise::random {

struct BatchOptions {
  RunOptions run;
  int jobs = 2;
  double secondsPerKernel = 30;
};

/// One kernel in a child of its own.
Outcome runIsolated(const Emitted &kernel, const BatchOptions &options);

/// Seeds first .. first + count - 1, in batches of children side by side. `report` comes in any
/// order; false ends the run.
void runSeeds(uint64_t first, uint64_t count, const BatchOptions &options,
              const std::function<bool(uint64_t seed, const Outcome &)> &report);

} // namespace tilewise::random
