// Warm-up, samples, and their quantiles.
#include "runtime/bench/Measure.h"

#include "runtime/CudaDevice.h"
#include "runtime/CudaTimer.h"
#include "runtime/Device.h"
#include "runtime/LastLevelCache.h"
#include "runtime/Tensor.h"
#include "support/Try.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>

namespace tilewise::bench {

// A GPU's queue is this long: the microsecond by which its events are read is then nothing.
static constexpr double kQueueMilliseconds = 0.5;
static constexpr unsigned kEstimateCalls = 5;

namespace {

/// On the host: the wall clock, of calls that have finished when they return.
class HostClock {
public:
  HostClock(const std::function<Result<void>()> &call, bool flushes) : call_(call) {
    if (flushes)
      flushed_.resize(2 * lastLevelCacheOfMachine.bytes * lastLevelCacheOfMachine.count);
  }

  /// Milliseconds of so many calls one after the other.
  Result<double> time(uint64_t calls) {
    if (!flushed_.empty())
      std::memset(flushed_.data(), ++pattern_, flushed_.size());
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < calls; ++i)
      TILEWISE_CHECK(call_());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

private:
  const std::function<Result<void>()> &call_;
  std::vector<char> flushed_;
  int pattern_ = 0;
};

/// On a GPU: its own events.
class GpuClock {
public:
  static Result<GpuClock> create(tw_device device, void *stream, const std::function<Result<void>()> &call,
                                 bool flushes) {
    TILEWISE_CHECK(makeCurrent(device));
    TILEWISE_TRY(cuda::Timer timer, cuda::Timer::create(device.index));
    GpuClock clock(device, stream, call, std::move(timer));
    if (flushes) {
      const int64_t shape[] = {kFlushedBytes};
      TILEWISE_TRY(clock.flushed_, Tensor::create(device, TW_UINT8, shape));
    }
    return clock;
  }

  Result<double> time(uint64_t calls) {
    if (flushed_.data)
      TILEWISE_CHECK(cuda::fill(device_.index, flushed_.data, ++pattern_, kFlushedBytes));
    return timer_.time(stream_, [&]() -> Result<void> { return queue(calls); });
  }

  /// From now on `time` takes so many calls, as a graph.
  Result<void> record(uint64_t calls) {
    TILEWISE_TRY(graph_, cuda::Graph::record(device_.index, stream_, [&] { return queue(calls); }));
    return {};
  }

private:
  // Above the level-2 cache of every GPU there is.
  static constexpr int64_t kFlushedBytes = 256 << 20;

  GpuClock(tw_device device, void *stream, const std::function<Result<void>()> &call, cuda::Timer timer)
      : device_(device), stream_(stream), call_(call), timer_(std::move(timer)) {}

  Result<void> queue(uint64_t calls) {
    if (graph_)
      return graph_->launch(stream_);
    for (uint64_t i = 0; i < calls; ++i)
      TILEWISE_CHECK(call_());
    return {};
  }

  tw_device device_;
  void *stream_;
  const std::function<Result<void>()> &call_;
  cuda::Timer timer_;
  std::optional<cuda::Graph> graph_;
  Tensor flushed_;
  unsigned char pattern_ = 0;
};

/// Warm-up, then samples of `together` calls, as many as fit.
struct Plan {
  double estimate = 0;
  uint64_t callsIn(double milliseconds) const { return uint64_t(std::clamp(milliseconds / estimate, 1.0, 1e7)); }
};

template <typename Clock> Result<Plan> warmUp(Clock &clock, const Settings &settings) {
  // The first call may compile.
  TILEWISE_CHECK(clock.time(1));
  Plan plan;
  for (unsigned i = 0; i < kEstimateCalls; ++i) {
    TILEWISE_TRY(const double taken, clock.time(1));
    plan.estimate += taken / kEstimateCalls;
  }
  plan.estimate = std::max(plan.estimate, 1e-6);
  TILEWISE_CHECK(clock.time(plan.callsIn(settings.warmupMilliseconds)));
  return plan;
}

template <typename Clock>
Result<std::vector<double>> sample(Clock &clock, const Plan &plan, const Settings &settings, uint64_t together) {
  std::vector<double> times;
  for (uint64_t left = std::max<uint64_t>(1, plan.callsIn(settings.milliseconds) / together); left > 0; --left) {
    TILEWISE_TRY(const double taken, clock.time(together));
    times.push_back(taken / double(together));
  }
  return times;
}

} // namespace

Result<std::vector<double>> measure(tw_device device, void *stream, const std::function<Result<void>()> &call,
                                    const Settings &settings) {
  if (isHost(device)) {
    HostClock clock(call, settings.flushesCaches);
    TILEWISE_TRY(const Plan plan, warmUp(clock, settings));
    return sample(clock, plan, settings, 1);
  }
  TILEWISE_TRY(GpuClock clock, GpuClock::create(device, stream, call, settings.flushesCaches));
  TILEWISE_TRY(const Plan plan, warmUp(clock, settings));
  const uint64_t together = settings.flushesCaches ? 1 : plan.callsIn(kQueueMilliseconds);
  if (settings.usesGraph)
    TILEWISE_CHECK(clock.record(together));
  return sample(clock, plan, settings, together);
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
