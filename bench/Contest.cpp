// Rounds, medians and the table.
#include "Contest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>

namespace bench {

Options readOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (option == "--filter" && value) {
      options.filter = value;
      ++i;
    } else if (option == "--rounds" && value && std::atoi(value) > 0) {
      options.rounds = std::atoi(value);
      ++i;
    } else if (option == "--cpu-time") {
      options.isCpuTime = true;
    } else {
      const bool isHelp = option == "--help";
      std::fprintf(isHelp ? stdout : stderr, "usage: %s [--filter TEXT] [--rounds N] [--cpu-time]\n", argv[0]);
      std::exit(isHelp ? 0 : 2);
    }
  }
  return options;
}

double Contest::secondsOf(const std::function<void()> &call, int times) const {
  auto now = [&] {
    timespec time;
    clock_gettime(options_.isCpuTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  const double start = now();
  for (int i = 0; i < times; ++i)
    call();
  return (now() - start) / times;
}

void Contest::bound(std::string name, double rate, double least) {
  bounds_.push_back({name, rate});
  bars_.push_back({std::move(name), least});
}

static double medianOf(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

/// What a runner took in each round, over what ours took in it: the median of these is the same on
/// a machine that gets faster and slower.
double Contest::timesFasterThan(const Runner &peer) const {
  std::vector<double> ratios;
  for (size_t round = 0; round < peer.seconds.size(); ++round)
    ratios.push_back(peer.seconds[round] / runners_.front().seconds[round]);
  return medianOf(std::move(ratios));
}

void Contest::run() {
  std::vector<int> times;
  for (Runner &runner : runners_) {
    runner.call(); // compiles, and touches the memory
    times.push_back(std::clamp(int(5e-3 / std::max(secondsOf(runner.call, 1), 1e-9)), 1, 100000));
  }
  for (int round = 0; round < options_.rounds; ++round)
    for (size_t i = 0; i < runners_.size(); ++i) {
      // OpenBLAS's threads look for work for some 25 ms after a call, on the cores that the next
      // one wants.
      if (runners_.size() > 1)
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
      secondsOf(runners_[i].call, times[i]);
      runners_[i].seconds.push_back(secondsOf(runners_[i].call, times[i]));
    }
  for (Runner &runner : runners_)
    runner.median = medianOf(runner.seconds);
  report();
}

double Contest::seconds(const std::string &name) const {
  for (const Runner &runner : runners_)
    if (runner.name == name)
      return runner.median;
  return NAN;
}

void Contest::report() const {
  std::printf("| %s |", work_.c_str());
  for (const Runner &runner : runners_)
    std::printf(" %s %.4g %s;", runner.name.c_str(), amount_ ? rateOf(runner.median) : runner.median * 1e6,
                unit_.c_str());
  for (const auto &[name, rate] : bounds_)
    std::printf(" %s %.4g %s;", name.c_str(), amount_ ? rate : 1e6 / rate, unit_.c_str());
  std::printf(" |");
  for (const Bar &bar : bars_) {
    const Runner *peer = nullptr;
    for (size_t i = 1; i < runners_.size(); ++i)
      if ((bar.peer == "best" || runners_[i].name == bar.peer) && (!peer || runners_[i].median < peer->median))
        peer = &runners_[i];
    double ratio = peer ? timesFasterThan(*peer) : 0;
    for (const auto &[name, rate] : bounds_)
      if (name == bar.peer)
        ratio = rateOf(runners_.front().median) / rate;
    std::printf(" %.2f x %s", ratio, bar.peer.c_str());
    if (bar.least > 0)
      std::printf(" (%s %.2f)", ratio >= bar.least ? "at least" : "BELOW", bar.least);
    std::printf(";");
  }
  std::printf(" |\n");
  std::fflush(stdout);
}

} // namespace bench
