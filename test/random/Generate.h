// A seed -> a random valid kernel.
#pragma once

#include "Sketch.h"

namespace tilewise::random {

/// Seeds walk over the coverage table: seed n uses cells 2n and 2n + 1 of its shuffled list, and a
/// few others at random.
Sketch generate(uint64_t seed);

} // namespace tilewise::random
