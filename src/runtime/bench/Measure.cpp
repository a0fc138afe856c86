// Warm-up, samples, and their quantiles.
#include "runtime/bench/Measure.h"

#include "runtime/Device.h"
#include "support/Try.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <unistd.h>

namespace tilewise::bench {

// A GPU's queue is waited for after this long: some microseconds of waiting are then a percent.
static constexpr double kQueueMilliseconds = 0.5;
static constexpr unsigned kEstimateCalls = 5;

namespace {

class Clock {
public:
  Clock(tw_device device, void *stream, const std::function<Result<void>()> &call, bool flushes)
      : device_(device), stream_(stream), call_(call) {
    if (flushes && isHost(device)) {
      const long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
      flushed_.resize(2 * size_t(told > 0 ? told : 32 << 20));
    }
  }

  /// Milliseconds of so many calls one after the other.
  Result<double> time(uint64_t calls) {
    if (!flushed_.empty())
      std::memset(flushed_.data(), ++pattern_, flushed_.size());
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < calls; ++i)
      TILEWISE_CHECK(call_());
    TILEWISE_CHECK(synchronizeStream(device_, stream_));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

private:
  tw_device device_;
  void *stream_;
  const std::function<Result<void>()> &call_;
  std::vector<char> flushed_;
  int pattern_ = 0;
};

} // namespace

Result<std::vector<double>> measure(tw_device device, void *stream, const std::function<Result<void>()> &call,
                                    const Settings &settings) {
  Clock clock(device, stream, call, settings.flushesCaches);
  // The first call may compile.
  TILEWISE_CHECK(clock.time(1));
  double estimate = 0;
  for (unsigned i = 0; i < kEstimateCalls; ++i) {
    TILEWISE_TRY(const double taken, clock.time(1));
    estimate += taken / kEstimateCalls;
  }
  estimate = std::max(estimate, 1e-6);
  auto callsIn = [&](double milliseconds) { return uint64_t(std::clamp(milliseconds / estimate, 1.0, 1e7)); };
  TILEWISE_CHECK(clock.time(callsIn(settings.warmupMilliseconds)));
  const uint64_t together = isHost(device) ? 1 : callsIn(kQueueMilliseconds);
  std::vector<double> times;
  for (uint64_t left = std::max<uint64_t>(1, callsIn(settings.milliseconds) / together); left > 0; --left) {
    TILEWISE_TRY(const double taken, clock.time(together));
    times.push_back(taken / double(together));
  }
  return times;
}

double quantile(std::span<const double> values, double q) {
  if (values.empty())
    return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double at = std::clamp(q, 0.0, 1.0) * double(sorted.size() - 1);
  const auto low = size_t(std::floor(at)), high = size_t(std::ceil(at));
  return sorted[low] + (sorted[high] - sorted[low]) * (at - double(low));
}

} // namespace tilewise::bench
