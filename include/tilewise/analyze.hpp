// What kernels do to memory and how much they compute, counted access by access.
//
//     auto found = tilewise::analyze([&] { add[4].on(Device("reference"))(x, y, z, n, "BLOCK"_a = 256); });
//     std::puts(found.table().c_str());
//     found.bound({40, 200}); // "memory", on a machine of 40 GB/s and 200 GFLOPS
#ifndef TILEWISE_ANALYZE_HPP
#define TILEWISE_ANALYZE_HPP

#include "analyze.h"
#include "device.hpp"
#include "profile.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api {

/// The counts of some launches on the reference engine, in bytes and operations.
struct Analysis {
  struct Argument {
    std::string name;
    std::uint64_t loaded = 0, stored = 0, distinctLoaded = 0, distinctStored = 0, loadedSectors = 0, storedSectors = 0;

    std::uint64_t moved() const { return loaded + stored; }
    std::uint64_t distinct() const { return distinctLoaded + distinctStored; }
    std::uint64_t sectors() const { return loadedSectors + storedSectors; }
  };

  std::uint64_t launches = 0, programs = 0, operations = 0, dotOperations = 0;
  std::vector<Argument> arguments; ///< In the order in which they were first touched.

  /// What the kernels ask for.
  std::uint64_t moved() const { return sum(&Argument::moved); }
  /// What must move however it is done: each distinct byte once.
  std::uint64_t least() const { return sum(&Argument::distinct); }
  /// What comes along unused, since memory moves whole sectors.
  std::uint64_t wasted() const {
    const std::uint64_t sectors = sum(&Argument::sectors);
    return sectors > moved() ? sectors - moved() : 0;
  }
  /// Operations per byte that must move.
  double intensity() const { return double(operations) / double(std::max<std::uint64_t>(1, least())); }

  /// What bounds it on a machine with these ceilings: "memory" or "arithmetic".
  std::string bound(const Ceilings &machine) const {
    const double memory = double(least()) / machine.gigabytesPerSecond;
    return memory >= double(operations) / machine.gigaflops ? "memory" : "arithmetic";
  }
  /// The least time on such a machine.
  double leastMilliseconds(const Ceilings &machine) const {
    return std::max(double(least()) / machine.gigabytesPerSecond, double(operations) / machine.gigaflops) * 1e-6;
  }

  /// A line for each argument, and what they come to.
  std::string table() const {
    std::string text =
        line(launches == 1 ? "%llu launch, %llu programs\n" : "%llu launches, %llu programs\n", launches, programs);
    text += "  argument            loaded      stored    distinct  in sectors\n";
    for (const Argument &each : arguments)
      text += line("  %-14s%12llu%12llu%12llu%12llu\n", each.name.c_str(), each.loaded, each.stored, each.distinct(),
                   each.sectors());
    text +=
        line("  moved %llu bytes; the least possible is %llu; %llu come along unused\n", moved(), least(), wasted());
    return text + line("  %llu operations, %llu of them in dots; %.2f per byte at best\n", operations, dotOperations,
                       intensity());
  }

private:
  template <typename Number> static unsigned long long plain(Number number) { return number; }
  static const char *plain(const char *text) { return text; }
  static double plain(double number) { return number; }

  template <typename... Values> static std::string line(const char *format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, plain(values)...);
    return text;
  }
  std::uint64_t sum(std::uint64_t (Argument::*part)() const) const {
    std::uint64_t total = 0;
    for (const Argument &each : arguments)
      total += (each.*part)();
    return total;
  }
};

/// Calls `launches`, and counts what it launches on the reference engine, whatever the thread; one
/// at a time in a process.
template <typename Function> Analysis analyze(Function &&launches) {
  tw_analysis_start();
  try {
    std::forward<Function>(launches)();
  } catch (...) {
    tw_analysis_stop(nullptr, nullptr, nullptr);
    throw;
  }
  Analysis found;
  tw_analysis_totals totals = {};
  auto take = [](void *user, const tw_analysis_part *part) {
    static_cast<Analysis *>(user)->arguments.push_back({part->name, part->loaded, part->stored, part->distinct_loaded,
                                                        part->distinct_stored, part->loaded_sectors,
                                                        part->stored_sectors});
  };
  detail::check(tw_analysis_stop(&totals, take, &found));
  found.launches = totals.launches;
  found.programs = totals.programs;
  found.operations = totals.operations;
  found.dotOperations = totals.dot_operations;
  return found;
}

} // namespace api
} // namespace tilewise

#endif
