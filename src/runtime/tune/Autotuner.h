// A kernel with configs: at the first launch with new values of its key, they are timed, and the
// fastest is used.
//
//     the list, pruned ─► what is known already ─► compile, several at once ─► race ─► keep ─► launch
//                         (shipped file, disk)     (twins are timed once)
//
// What is known already is not timed again; with TILEWISE_TUNE=never nothing is timed at all. All
// threads that launch with a new key wait for the one that tunes for it (Choices.h).
#pragma once

#include "runtime/Kernel.h"
#include "runtime/tune/Race.h"
#include "runtime/tune/Results.h"

#include <map>

namespace tilewise::tune {

/// One launch whose config is to be chosen.
struct TunedLaunch {
  tw_device device;
  void *stream = nullptr;
  llvm::ArrayRef<tw_argument> arguments; ///< Without those that configs give.
  LaunchOptions options;
  /// How many programs a config needs; 1 to 3 numbers.
  std::function<Result<std::vector<int64_t>>(const Config &)> grid;
};

/// What became of a config in the latest tuning.
struct TunedConfig {
  Config config;
  double seconds = 0; ///< Of a call; infinite where it could not be run.
  unsigned samples = 0;
  std::string problem; ///< Why it could not be run.
  /// The earlier config that has the same code and grid, and so the same time.
  std::optional<size_t> twinOf;
  bool isKnown = false; ///< Its time is from an earlier process.
};

double steadySeconds();

class Autotuner {
public:
  /// The kernel outlives the tuner.
  explicit Autotuner(Kernel &kernel) : kernel_(kernel), identity_(kernel.identity()) {}

  /// Configs, key, reset_to_zero and restore_value of the kernel's @triton.autotune, where it has
  /// one; what @triton.heuristics computes is added to every config at its launch.
  void readDecorator();

  // Set before the first launch.
  std::vector<Config> configs;
  std::vector<std::string> key; ///< Parameters whose values choose a config.
  /// Pointer parameters whose memory is zeroed before each timed call, or given back what it held.
  std::vector<std::string> resetToZero, restoreValue;
  /// Which configs are worth timing, by their index; all where it is empty.
  std::function<std::vector<size_t>(const TunedLaunch &)> prune;
  /// An estimate of a config's time, by which all but the best `topK` are left out; 0: all are
  /// kept.
  std::function<double(const TunedLaunch &, const Config &)> perfModel;
  size_t topK = 0;
  /// Called before and after each call of the kernel with a config.
  std::function<void(const Config &)> preHook, postHook;
  RaceSettings settings;
  RaceProgress progress;
  cache::Folder *folder = cache::Folder::ofProcess();
  /// The clock, in seconds; tests have one of their own.
  std::function<double()> now = steadySeconds;

  Result<void> launch(const TunedLaunch &launch);
  /// The config for these arguments: known, or found by timing.
  /// A config that is the only one is not timed, unless its time is what is asked for.
  Result<Config> choose(const TunedLaunch &launch, bool timesOnlyOne = false);

  /// Of the latest choice that was made by timing or recalled; in the order of the list, pruned.
  std::vector<TunedConfig> latest() const;
  /// All choices so far -> the file to be shipped.
  Result<void> save(const std::string &path) const;

private:
  Result<Subject> subjectOf(const TunedLaunch &launch) const;
  Result<std::vector<size_t>> pruned(const TunedLaunch &launch) const;
  Result<std::optional<Config>> shippedFor(const Subject &subject);
  Result<Config> chooseAnew(const TunedLaunch &launch, const Subject &subject, bool timesOnlyOne);
  Result<Config> timeConfigs(const TunedLaunch &launch, const Subject &subject, std::vector<TunedConfig> list,
                             Times known);
  void compileAll(const TunedLaunch &launch, std::vector<TunedConfig> &list) const;
  void findTwins(const TunedLaunch &launch, std::vector<TunedConfig> &list) const;
  /// The config with what heuristics compute from it and the arguments.
  Result<Config> complete(const TunedLaunch &launch, const Config &config) const;
  Result<void> prepare(const TunedLaunch &launch, const Config &chosen) const;
  Result<void> launchWith(const TunedLaunch &launch, const Config &chosen) const;
  Result<Config> finish(std::vector<TunedConfig> list, size_t winner);

  Kernel &kernel_;
  const std::string identity_;
  bool hasHeuristics_ = false;
  // Guarded by the mutex of Choices, which is held only to look and to put.
  mutable std::map<std::string, Config> completed_; ///< By heuristics.
  std::map<std::string, Config> chosen_;
  std::vector<TunedConfig> latest_;
  ResultsFile toShip_;
  std::optional<ResultsFile> shipped_;
};

} // namespace tilewise::tune
