// How long something takes: called again and again, each call timed, after a warm-up.
#pragma once

#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <functional>
#include <span>
#include <vector>

namespace tilewise::bench {

struct Settings {
  /// How long to run before, and while, measuring.
  double warmupMilliseconds = 25, milliseconds = 100;
  /// Between calls, memory larger than the last level of the caches is written, so that each call
  /// finds its operands in memory.
  bool flushesCaches = false;
  /// On a GPU: the calls of a sample are recorded once, and launched as a graph, so that what the
  /// host does for each does not count. The stream is not the default one.
  bool usesGraph = false;
};

/// Milliseconds of each call. On a GPU a sample is a queue of calls between two events, whose time
/// is that of the GPU; with caches flushed, a single call.
Result<std::vector<double>> measure(tw_device device, void *stream, const std::function<Result<void>()> &call,
                                    const Settings &settings = {});

/// The q-th quantile, linear between neighbours as numpy has it; 0 of nothing.
double quantile(std::span<const double> values, double q);

} // namespace tilewise::bench
