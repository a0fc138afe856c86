// Which of several ways to do the same is fastest, found out by running them against each other.
//
// A measurement on a machine that others use too is the true time plus something: never less, now
// and then much more, and the machine itself gets slower and faster over seconds. So
//
//   - candidates take turns, one short sample each per round, first forwards, then backwards: what
//     slows the machine down for a while slows down all of them;
//   - a candidate's cost is the mean of the fastest quarter of its samples: whatever interrupts
//     most of them has no say, and it settles sooner than the minimum does. Where the median is
//     more than a tenth above the fastest, even that quarter holds interrupted ones, and the
//     fastest twelfth is taken;
//   - one whose fastest sample is well above the leader's cost leaves the race, early by a wide
//     margin, later by a small one, and later still on a noisy machine: most of the time goes to
//     those that are hard to tell apart. A sample that is slow by less than a scheduler's slice
//     says nothing of itself;
//   - a noisy machine gets up to three times the seconds;
//   - costs within half a percent are a tie, which the first of them in the list wins, so that two
//     runs agree.
#pragma once

#include "support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace tilewise::tune {

struct RaceSettings {
  double sampleSeconds = 1e-3; ///< A sample is as many calls as take about this long.
  /// What a candidate may take on average, beside its first two calls; on a noisy machine three
  /// times that.
  double secondsEach = 0.1;
  unsigned leastRounds = 5, mostRounds = 40;
  double tie = 0.005;
};

struct Racer {
  double seconds = 0; ///< Cost of a call; infinite where it cannot be run.
  unsigned samples = 0;
  std::string problem; ///< Why it cannot be run.
};

/// Runs candidate `index` `calls` times and gives the seconds that took.
using RunCalls = std::function<Result<double>(size_t index, uint64_t calls)>;
/// Told after each candidate's first sample, and after each round with `done` = `count`.
using RaceProgress = std::function<void(size_t done, size_t count)>;

struct RaceResult {
  std::vector<Racer> racers; ///< One per candidate.
  size_t winner = 0;         ///< Good where one could be run.
  bool hasWinner() const { return !racers.empty() && racers[winner].problem.empty(); }
};

RaceResult race(size_t count, const RunCalls &run, const RaceSettings &settings = {},
                const RaceProgress &progress = nullptr);

} // namespace tilewise::tune
