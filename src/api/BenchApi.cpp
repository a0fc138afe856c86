// tw_bench, tw_quantile and tw_report_*.
#include "api/Status.h"
#include "runtime/bench/Measure.h"
#include "runtime/bench/PerfReport.h"
#include "support/Try.h"
#include "tilewise/bench.h"

#include <cmath>
#include <cstddef>
#include <cstring>

using namespace tilewise;

struct tw_report {
  bench::PerfReport report;
};

tw_status tw_bench(tw_device device, void *stream, bool (*call)(void *user), void *user,
                   const tw_bench_options *options, double **milliseconds, size_t *count) {
  return guarded([&]() -> Result<void> {
    bench::Settings settings;
    // An older caller's structure ends earlier.
    if (options && options->struct_size >= offsetof(tw_bench_options, measured_ms) + sizeof(double))
      settings = {options->warmup_ms, options->measured_ms, options->flush_caches != 0};
    if (options && options->struct_size >= offsetof(tw_bench_options, use_graph) + sizeof(uint32_t))
      settings.usesGraph = options->use_graph != 0;
    auto once = [&]() -> Result<void> {
      return call(user) ? Result<void>() : Result<void>(launchFailure("the measured call asked for the end"));
    };
    TILEWISE_TRY(const std::vector<double> times, bench::measure(device, stream, once, settings));
    auto *copy = static_cast<double *>(std::malloc(std::max<size_t>(1, times.size()) * sizeof(double)));
    if (!copy)
      throw std::bad_alloc();
    std::copy(times.begin(), times.end(), copy);
    *milliseconds = copy;
    *count = times.size();
    return {};
  });
}

double tw_quantile(const double *values, size_t count, double q) { return bench::quantile({values, count}, q); }

tw_status tw_report_create(const char *title, const char *x, const char *y, bool log_x, bool log_y,
                           tw_report **report) {
  return guarded([&]() -> Result<void> {
    *report = new tw_report{bench::PerfReport({title, x, y, log_x, log_y})};
    return {};
  });
}
void tw_report_destroy(tw_report *report) { delete report; }

void tw_report_add(tw_report *report, const char *line, double x, double y, double low, double high) {
  report->report.add(line, x, y,
                     std::isnan(low) || std::isnan(high) ? std::nullopt
                                                         : std::optional(std::pair<double, double>(low, high)));
}

tw_status tw_report_write(const tw_report *report, const char *path) {
  return guarded([&] { return report->report.write(path); });
}
