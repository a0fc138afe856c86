// Ours and its peers at the same work, taking turns in one process, so that whatever else the
// machine does hits all of them.
//
//     Contest contest("copy 2^26 fp32");
//     contest.unit(2.0 * bytes / 1e9, "GB/s");
//     contest.add("ours", [&] { copy[grid](x, z, n, block); });
//     contest.add("memcpy", [&] { team.run(...); });
//     contest.bar("memcpy", 0.95);
//     contest.run();
//
// prints the median rate of each, and ours over each peer with the least that is asked for: the
// median of the rounds' ratios. A round is long enough (5 ms) for the clock. Before it comes a
// pause in which the threads of the last runner fall asleep, and as many calls that are not
// counted, in which cores wake up and reach their speed. Results are compared by the caller, where
// a peer computes the same values (copy, softmax, layer norm, fp32 matmul, sort, cumsum, argmax);
// that every kernel here is right at all is the tests' business.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// What the command line says: `--filter TEXT` runs the works whose name holds TEXT, `--rounds N`;
/// `--cpu-time` counts the seconds that all threads of the process ran rather than those on the
/// wall, which on a machine that others load is the steadier of the two.
struct Options {
  std::string filter;
  int rounds = 15;
  bool isCpuTime = false;
};
/// Reads the command line, or prints what is wrong with it and leaves the process.
Options readOptions(int argc, char **argv);

class Contest {
public:
  Contest(const Options &options, std::string work) : options_(options), work_(std::move(work)) {}

  /// Nobody needs to prepare a work that was not asked for.
  bool isWanted() const { return work_.find(options_.filter) != std::string::npos; }

  /// What one call does, and how its rate is called; without it, the time in microseconds is shown.
  void unit(double amount, std::string name) {
    amount_ = amount;
    unit_ = std::move(name);
  }
  /// The first one added is ours.
  void add(std::string name, std::function<void()> call) { runners_.push_back({std::move(name), std::move(call), {}}); }
  /// Ours must reach `least` times the rate of `peer`; "best" is the best of all peers.
  void bar(std::string peer, double least) { bars_.push_back({std::move(peer), least}); }
  /// Shows how many times the rate of `peer` the first one has.
  void compare(std::string peer) { bar(std::move(peer), 0); }
  /// Ours must reach `least` times a rate that is a bound rather than a runner; in the unit, or
  /// calls per second without one.
  void bound(std::string name, double rate, double least);

  void run();
  /// The median seconds of one call, after run().
  double seconds(const std::string &name) const;

private:
  struct Runner {
    std::string name;
    std::function<void()> call;
    std::vector<double> seconds; ///< One per round.
    double median = 0;
  };
  struct Bar {
    std::string peer;
    double least;
  };

  double timesFasterThan(const Runner &peer) const;
  double secondsOf(const std::function<void()> &call, int times) const;
  void report() const;
  double rateOf(double seconds) const { return amount_ ? amount_ / seconds : 1 / seconds; }

  const Options &options_;
  std::string work_, unit_ = "us";
  double amount_ = 0;
  std::vector<Runner> runners_;
  std::vector<Bar> bars_;
  std::vector<std::pair<std::string, double>> bounds_;
};

} // namespace bench
