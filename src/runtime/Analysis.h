// What launches on the reference engine do to memory, counted while that is asked for.
#pragma once

#include "reference/Counting.h"

namespace tilewise::analysis {

using reference::ArgumentCounts;
using reference::Counts;

/// Begins anew, for all threads; one at a time.
inline void start() { reference::startCounting(); }
inline Counts stop() { return reference::stopCounting(); }

} // namespace tilewise::analysis
