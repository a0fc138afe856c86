// A failing kernel -> a smaller one that fails in the same way.
#pragma once

#include "Isolate.h"

namespace tilewise::random {

/// Deletes statements, puts simpler ones in their place, unrolls loops and halves sizes as long as
/// it still fails; `outcome` becomes that of the result.
Sketch shrink(const Sketch &sketch, const BatchOptions &options, Outcome &outcome);

} // namespace tilewise::random
