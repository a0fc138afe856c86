// Rounds of samples, and who leaves after each.
#include "runtime/tune/Race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewise::tune {

namespace {

/// Up to this much between the median and the fastest sample a machine is quiet.
constexpr double kQuiet = 1.1;
/// A sample that takes so many times as long as it should, and so much longer, is slow by itself: a
/// scheduler gives another process some milliseconds at a time.
constexpr double kBeyondNoise = 4, kBeyondSlice = 12e-3;
constexpr double kMostNoise = 2;
/// Of a candidate's second call, while it takes longer than the first.
constexpr int kMostRepeats = 3;
/// On a noisy machine there may be so many times the rounds and the seconds.
constexpr unsigned kMoreRounds = 5;
constexpr double kMoreSeconds = 3;

struct Runner {
  size_t index;
  uint64_t calls = 1; ///< Per sample.
  std::vector<double> samples;

  double fastest() const { return *std::min_element(samples.begin(), samples.end()); }
  double cost() const {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    const size_t count = sorted.size(), part = noiseOf(sorted) < kQuiet ? (count + 3) / 4 : 1 + count / 12;
    return std::accumulate(sorted.begin(), sorted.begin() + ptrdiff_t(part), 0.0) / double(part);
  }
  /// How much longer than the fastest a sample usually takes: 1 on a quiet machine.
  double noise() const {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    return noiseOf(sorted);
  }
  /// Whether others on the machine may be why all samples are above the limit.
  bool mayBeInterrupted(double limit) const {
    return fastest() < kBeyondNoise * limit || (fastest() - limit) * double(calls) < kBeyondSlice;
  }

private:
  static double noiseOf(const std::vector<double> &sorted) { return sorted[sorted.size() / 2] / sorted[0]; }
};

/// How far above the leader's cost a candidate's fastest sample may be after so many rounds.
double marginAfter(unsigned rounds) { return rounds == 0 ? 2.0 : 1.0 + std::max(0.02, 0.5 / rounds); }

class Race {
public:
  Race(size_t count, const RunCalls &run, const RaceSettings &settings)
      : run_(run), settings_(settings), secondsLeft_(settings.secondsEach * double(count)) {
    result_.racers.resize(count);
  }

  /// The first call, which may have to load code and touch memory, then one that counts.
  void begin(size_t index) {
    Racer &racer = result_.racers[index];
    Result<double> warm = run_(index, 1);
    Result<double> first = warm ? run_(index, 1) : Result<double>(warm.takeFailure());
    // A first call is the slower one. Where it was not, another process had the core meanwhile: for
    // 50 ms on a machine with many, which no candidate should be judged by.
    for (int again = 0; again < kMostRepeats && first && *first > 2 * *warm; ++again)
      first = run_(index, 1);
    if (!first) {
      racer.problem = first.takeFailure().message;
      racer.seconds = std::numeric_limits<double>::infinity();
      return;
    }
    Runner runner{index, 1, {std::max(*first, 1e-9)}};
    runner.calls = uint64_t(std::clamp(settings_.sampleSeconds / runner.samples[0], 1.0, 1e6));
    // A single call of microseconds tells little: it is replaced by the first sample.
    if (runner.calls > 1)
      sample(runner, /*replaces=*/true);
    runners_.push_back(std::move(runner));
    leave(0);
  }

  void goOn(const RaceProgress &progress) {
    for (unsigned round = 1; runners_.size() > 1; ++round) {
      for (size_t turn = 0; turn < runners_.size(); ++turn)
        sample(runners_[round % 2 ? runners_.size() - 1 - turn : turn], false);
      leave(round);
      if (progress)
        progress(result_.racers.size(), result_.racers.size());
      const bool isQuiet = noise() < kQuiet;
      if (round >= settings_.mostRounds * (isQuiet ? 1 : kMoreRounds))
        break;
      const double overtime = isQuiet ? 0 : (kMoreSeconds - 1) * settings_.secondsEach * double(result_.racers.size());
      if (round >= settings_.leastRounds && (secondsLeft_ <= -overtime || (isQuiet && isTie())))
        break;
    }
    for (const Runner &runner : runners_)
      settle(runner);
  }

  RaceResult finish() {
    double best = std::numeric_limits<double>::infinity();
    for (const Racer &racer : result_.racers)
      best = std::min(best, racer.seconds);
    for (size_t i = 0; i < result_.racers.size(); ++i)
      if (result_.racers[i].problem.empty() && result_.racers[i].seconds <= best * (1 + settings_.tie)) {
        result_.winner = i;
        break;
      }
    return std::move(result_);
  }

private:
  void sample(Runner &runner, bool replaces) {
    Result<double> taken = run_(runner.index, runner.calls);
    if (!taken) // It could be run before; whatever this is, it is slow.
      return runner.samples.push_back(runner.samples.front() * 1000);
    secondsLeft_ -= *taken;
    const double each = std::max(*taken, 1e-9) / double(runner.calls);
    if (replaces)
      runner.samples = {each};
    else
      runner.samples.push_back(each);
  }

  double leadersCost() const {
    double best = std::numeric_limits<double>::infinity();
    for (const Runner &runner : runners_)
      best = std::min(best, runner.cost());
    return best;
  }

  /// Of the noisiest that are left.
  double noise() const {
    double most = 1;
    for (const Runner &runner : runners_)
      most = std::max(most, std::min(runner.noise(), kMostNoise));
    return most;
  }

  void leave(unsigned round) {
    // Where most samples are interrupted, more of them are needed before one can be believed.
    const size_t needed = noise() < kQuiet ? 3 : 10;
    const double limit = leadersCost() * marginAfter(round) * std::sqrt(noise());
    std::erase_if(runners_, [&](Runner &runner) {
      // A few interrupted samples must not end it, unless it is beyond all interference.
      while (runner.fastest() > limit && runner.mayBeInterrupted(limit) && runner.samples.size() < needed)
        sample(runner, /*replaces=*/false);
      if (runner.fastest() <= limit)
        return false;
      settle(runner);
      return true;
    });
  }

  void settle(const Runner &runner) {
    result_.racers[runner.index].seconds = runner.cost();
    result_.racers[runner.index].samples = unsigned(runner.samples.size());
  }

  /// Whether more rounds would only choose among equals: all that are left have settled, and do not
  /// differ.
  bool isTie() const {
    const double best = leadersCost();
    return std::all_of(runners_.begin(), runners_.end(), [&](const Runner &runner) {
      return runner.cost() <= best * (1 + settings_.tie / 2) && runner.samples.size() >= 2 * settings_.leastRounds;
    });
  }

  const RunCalls &run_;
  const RaceSettings settings_;
  double secondsLeft_;
  RaceResult result_;
  std::vector<Runner> runners_; ///< Those still in the race.
};

} // namespace

RaceResult race(size_t count, const RunCalls &run, const RaceSettings &settings, const RaceProgress &progress) {
  Race race(count, run, settings);
  for (size_t i = 0; i < count; ++i) {
    race.begin(i);
    if (progress)
      progress(i + 1, count);
  }
  race.goOn(progress);
  return race.finish();
}

} // namespace tilewise::tune
