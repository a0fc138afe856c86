// Benchmarking in C++: how long a call takes, and reports of many such measurements.
//
//     auto time = tilewise::doBench([&] { add[grid](x, y, z, n, 1024); });
//     tilewise::PerfReport report("vector add", "n", "GB/s");
//     report.add("tilewise", n, 12.0 * n / time.median() * 1e-6);
//     report.write("add.html");
#ifndef TILEWISE_BENCH_HPP
#define TILEWISE_BENCH_HPP

#include "bench.h"
#include "tilewise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api { // See error.hpp.

/// The milliseconds of each call.
struct BenchTimes {
  std::vector<double> all;
  double quantile(double q) const { return tw_quantile(all.data(), all.size(), q); }
  double median() const { return quantile(0.5); }
  double min() const { return quantile(0); }
  double max() const { return quantile(1); }
  double mean() const {
    double sum = 0;
    for (double one : all)
      sum += one;
    return all.empty() ? 0 : sum / double(all.size());
  }
};

struct BenchOptions {
  double warmupMilliseconds = 25, milliseconds = 100;
  bool flushCaches = false; ///< Each call finds its operands in memory, not in caches.
  /// Where `call` launches; on a GPU, the default stream where there is none here.
  Device device = Device(tw_cpu());
  const Stream *stream = nullptr;
  /// On a GPU, the calls of a sample are recorded once from `stream` and launched as a CUDA graph.
  bool graph = false;
};

/// Runs `call` again and again; what it throws is thrown.
inline BenchTimes doBench(std::function<void()> call, const BenchOptions &options = {}) {
  struct Context {
    std::function<void()> call;
    std::exception_ptr thrown;
  } context{std::move(call), nullptr};
  const tw_bench_options plain = {sizeof(tw_bench_options), options.flushCaches ? 1u : 0u, options.warmupMilliseconds,
                                  options.milliseconds, options.graph ? 1u : 0u};
  double *times = nullptr;
  std::size_t count = 0;
  const tw_status status = tw_bench(
      options.device.get(), options.stream ? options.stream->get() : nullptr,
      [](void *user) {
        auto &self = *static_cast<Context *>(user);
        try {
          self.call();
          return true;
        } catch (...) {
          self.thrown = std::current_exception();
          return false;
        }
      },
      &context, &plain, &times, &count);
  if (context.thrown)
    std::rethrow_exception(context.thrown);
  detail::check(status);
  BenchTimes result{{times, times + count}};
  tw_free(times);
  return result;
}

/// Measurements as a table and a plot; see bench.h.
class PerfReport {
public:
  PerfReport(const std::string &title, const std::string &x, const std::string &y, bool logX = false,
             bool logY = false) {
    tw_report *made = nullptr;
    detail::check(tw_report_create(title.c_str(), x.c_str(), y.c_str(), logX, logY, &made));
    report_.reset(made);
  }
  void add(const std::string &line, double x, double y, double low = NAN, double high = NAN) {
    tw_report_add(report_.get(), line.c_str(), x, y, low, high);
  }
  void write(const std::string &path) const { detail::check(tw_report_write(report_.get(), path.c_str())); }

private:
  struct Destroy {
    void operator()(tw_report *report) const { tw_report_destroy(report); }
  };
  std::unique_ptr<tw_report, Destroy> report_;
};

} // namespace api
} // namespace tilewise

#endif
