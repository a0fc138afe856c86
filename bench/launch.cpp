// What a launch costs: by number of arguments, beside a bare call, and the first one of a process
// with and without the disk cache.
#include "Processes.h"

#include <tilewise/bench.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <unistd.h>

using namespace tilewise;

static std::int32_t stored = 0;
__attribute__((noinline)) static void bareCall(std::int32_t *to, std::int64_t value) {
  *to = std::int32_t(value);
  asm volatile("" ::: "memory");
}

static double nanoseconds(const std::function<void()> &thousandCalls) {
  BenchOptions options;
  options.milliseconds = 200;
  return doBench(thousandCalls, options).quantile(0.2) * 1e6 / 1000;
}

static void costByArguments() {
  std::printf("arguments   ns per launch\n");
  for (int integers : {1, 3, 7, 15, 31}) {
    Kernel kernel = Kernel::fromSource(sumKernel(integers));
    // Through the C interface, which the C++ interface is inline code over: the count is not a type
    // there.
    std::vector<tw_argument> arguments = {tw_pointer(&stored, TW_INT32)};
    for (int i = 0; i < integers; ++i)
      arguments.push_back(tw_int(i + 2));
    const std::int64_t grid = 1;
    const double each = nanoseconds([&] {
      for (int i = 0; i < 1000; ++i)
        detail::check(
            tw_kernel_launch(kernel.get(), tw_cpu(), nullptr, &grid, 1, arguments.data(), arguments.size(), nullptr));
    });
    std::printf("%9d %15.0f\n", integers + 1, each);
  }
  void (*volatile call)(std::int32_t *, std::int64_t) = bareCall;
  std::printf("bare call %15.1f\n", nanoseconds([&] {
                for (int i = 0; i < 1000; ++i)
                  call(&stored, i);
              }));
}

int main(int argc, char **argv) {
  const auto start = std::chrono::steady_clock::now();
  if (argc > 1 && std::string(argv[1]) == "--first") {
    Kernel kernel = Kernel::fromSource(sumKernel(3));
    kernel[1](&stored, 2, 3, 4);
    std::printf("%f\n", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    return stored == 9 ? 0 : 1;
  }
  costByArguments();
  const std::string cache = std::filesystem::temp_directory_path() / ("tilewise-bench-" + std::to_string(getpid()));
  // From main to the end of the first launch.
  auto firstLaunch = [&](const char *megabytes) {
    return printedBy({"--first"}, {{"TILEWISE_CACHE_DIR", cache}, {"TILEWISE_CACHE_MB", megabytes}});
  };
  auto median = [&](const char *megabytes) {
    std::vector<double> times;
    for (int i = 0; i < 11; ++i)
      times.push_back(firstLaunch(megabytes));
    return medianOf(times);
  };
  const double without = median("0");
  firstLaunch("64");
  std::printf("first launch of a process, from main: %.2f ms compiling, %.2f ms from the disk cache\n", without,
              median("64"));
  std::filesystem::remove_all(cache);
}
