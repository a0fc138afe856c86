// Choosing a config: known, or by timing.
#include "runtime/tune/Autotuner.h"

#include "runtime/DataType.h"
#include "runtime/Device.h"
#include "runtime/Log.h"
#include "runtime/ThreadPool.h"
#include "runtime/profile/Profile.h"
#include "runtime/tune/Choices.h"
#include "runtime/tune/KeptMemory.h"
#include "runtime/tune/NamedArguments.h"
#include "support/Knobs.h"
#include "support/Try.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace tilewise::tune {

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<Subject> Autotuner::subjectOf(const TunedLaunch &launch) const {
  Subject subject;
  subject.kernel = kernel_.name();
  subject.identity = identity_;
  TILEWISE_TRY(subject.device, deviceTextForTuning(launch.device));
  const auto named = namedArguments(kernel_, launch.arguments);
  auto add = [&](const std::string &text) { subject.key += (subject.key.empty() ? "" : ", ") + text; };
  for (const std::string &name : key) {
    auto found = llvm::find_if(named, [&](const auto &one) { return one.first == name; });
    if (found != named.end())
      add(name + "=" + valueText(found->second));
  }
  for (const auto &[name, argument] : named)
    if (argument.kind == TW_ARGUMENT_POINTER || argument.kind == TW_ARGUMENT_CONST_POINTER)
      add(name + ": " + std::string(dataTypeName(tw_dtype(argument.dtype))));
  return subject;
}

Result<std::vector<size_t>> Autotuner::pruned(const TunedLaunch &launch) const {
  std::vector<size_t> list;
  for (size_t i = 0; i < configs.size(); ++i)
    list.push_back(i);
  if (prune) {
    list = prune(launch);
    llvm::erase_if(list, [&](size_t index) { return index >= configs.size(); });
    if (list.empty())
      return launchFailure("no config of kernel '" + kernel_.name() + "' is left after pruning: keep at least one");
  }
  if (perfModel && topK != 0 && list.size() > topK) {
    std::vector<std::pair<double, size_t>> estimates;
    for (size_t index : list)
      estimates.emplace_back(perfModel(launch, configs[index]), index);
    llvm::sort(estimates);
    list.clear();
    for (const auto &[estimate, index] : llvm::ArrayRef(estimates).take_front(topK))
      list.push_back(index);
  }
  return list;
}

Result<Config> Autotuner::choose(const TunedLaunch &launch, bool timesOnlyOne) {
  if (configs.size() == 1 && !timesOnlyOne)
    return configs.front();
  if (configs.empty() && hasHeuristics_)
    return Config(); // They give all constants.
  TILEWISE_TRY(const Subject subject, subjectOf(launch));
  const std::string place = subject.device + "; " + subject.key;
  Choices &choices = Choices::instance();
  std::unique_lock lock(choices.mutex);
  TILEWISE_TRY(const std::unique_ptr<Choices::Turn> turn,
               choices.take(lock, this, kernel_.name(), [&] { return chosen_.find(place) != chosen_.end(); }));
  if (!turn)
    return chosen_[place];
  lock.unlock();
  TILEWISE_TRY(Config config, chooseAnew(launch, subject, timesOnlyOne));
  const std::lock_guard put(choices.mutex);
  chosen_[place] = config;
  toShip_.set(subject, config);
  return config;
}

/// Read once; by the thread whose turn it is.
Result<std::optional<Config>> Autotuner::shippedFor(const Subject &subject) {
  if (!shipped_) {
    ResultsFile file;
    if (const std::string path = knobs::tuningFile(); !path.empty()) {
      TILEWISE_TRY(file, ResultsFile::read(path));
    }
    const std::lock_guard lock(Choices::instance().mutex);
    shipped_ = std::move(file);
  }
  return shipped_->find(subject);
}

Result<Config> Autotuner::chooseAnew(const TunedLaunch &launch, const Subject &subject, bool timesOnlyOne) {
  TILEWISE_TRY(const std::optional<Config> shipped, shippedFor(subject));
  if (configs.empty() && shipped)
    return *shipped;
  if (configs.empty())
    return launchFailure("kernel '" + kernel_.name() + "' has no configs to choose from");
  TILEWISE_TRY(const std::vector<size_t> indices, pruned(launch));
  std::vector<TunedConfig> list;
  for (size_t index : indices) {
    list.emplace_back();
    list.back().config = configs[index];
  }
  if (shipped && llvm::any_of(list, [&](const TunedConfig &one) { return one.config == *shipped; }))
    return *shipped;

  Times known = recallTimes(subject, folder);
  size_t best = 0, unknown = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    auto time = known.find(list[i].config.str());
    list[i].isKnown = time != known.end();
    unknown += !list[i].isKnown;
    list[i].seconds = list[i].isKnown ? time->second : std::numeric_limits<double>::infinity();
    if (list[i].isKnown && std::isinf(list[i].seconds))
      list[i].problem = "it could not be run in an earlier process";
    if (list[i].seconds < list[best].seconds * (1 - settings.tie))
      best = i;
  }
  const bool hasBest = list[best].isKnown && !std::isinf(list[best].seconds);
  if ((list.size() == 1 && !timesOnlyOne) || (unknown == 0 && hasBest))
    return finish(std::move(list), best);
  if (knobs::neverTunes()) {
    log(TW_LOG_WARNING,
        "kernel '" + subject.kernel + "' is not tuned for " + subject.key + " on " + subject.device +
            (shipped ? "; what the tuning file has, " + shipped->str() + ", is none of its configs" : "") +
            ", and TILEWISE_TUNE=never: it runs with " + list[best].config.str());
    return finish(std::move(list), best);
  }
  return timeConfigs(launch, subject, std::move(list), std::move(known));
}

/// Each on a thread of its own, as many as there are cores: compiling is most of what tuning takes.
void Autotuner::compileAll(const TunedLaunch &launch, std::vector<TunedConfig> &list) const {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < list.size();) {
      if (list[i].isKnown)
        continue;
      if (Result<void> done = prepare(launch, list[i].config); !done)
        list[i].problem = done.takeFailure().message;
    }
  };
  std::vector<std::thread> threads;
  const size_t count = std::min<size_t>(list.size(), ThreadPool::instance().threads());
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

void Autotuner::findTwins(const TunedLaunch &launch, std::vector<TunedConfig> &list) const {
  std::map<std::pair<uint64_t, std::vector<int64_t>>, size_t> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].problem.empty())
      continue;
    Result<Config> config = complete(launch, list[i].config);
    Result<std::vector<int64_t>> grid = config ? launch.grid(*config) : config.takeFailure();
    if (!grid)
      continue;
    const std::vector<tw_argument> arguments = config->with(launch.arguments);
    const auto code = kernel_.codeHash(launch.device, arguments, config->with(launch.options));
    if (!code)
      continue;
    auto [first, isNew] = seen.try_emplace({*code, *grid}, i);
    if (!isNew)
      list[i].twinOf = first->second;
  }
}

/// What no config can change is said before any is compiled.
static Result<void> checkAllGiven(const Kernel &kernel, const TunedLaunch &launch, llvm::ArrayRef<TunedConfig> list) {
  llvm::StringSet<> given;
  for (const auto &[name, argument] : namedArguments(kernel, launch.arguments))
    given.insert(name);
  for (const TunedConfig &one : list)
    for (const auto &[name, value] : one.config.values)
      given.insert(name);
  std::vector<std::string> missing;
  for (const Parameter &parameter : kernel.parameters())
    if (!parameter.defaultArgument && !given.contains(parameter.name))
      missing.push_back("'" + parameter.name + "'");
  if (missing.empty())
    return {};
  return launchFailure("kernel '" + kernel.name() + "' cannot be tuned: neither the call nor a config gives " +
                       llvm::join(missing, ", "));
}

/// Each reason once, with the configs that it stops.
static std::string whyNoneRuns(llvm::ArrayRef<TunedConfig> list) {
  llvm::MapVector<llvm::StringRef, std::vector<const TunedConfig *>> stopped;
  for (const TunedConfig &one : list)
    stopped[llvm::StringRef(one.problem).split('\n').first].push_back(&one);
  std::string text;
  for (const auto &[reason, configs] : stopped) {
    const size_t others = configs.size() - 1;
    std::string which = configs.front()->config.str();
    if (others && stopped.size() == 1)
      which = "all " + std::to_string(configs.size());
    else if (others)
      which += " and " + std::to_string(others) + " more";
    text += "\n  " + which + ": " + reason.str();
  }
  return text;
}

Result<Config> Autotuner::timeConfigs(const TunedLaunch &launch, const Subject &subject, std::vector<TunedConfig> list,
                                      Times known) {
  if (!hasHeuristics_)
    TILEWISE_CHECK(checkAllGiven(kernel_, launch, list));
  // Times of another process may be of another day: the best of them runs again, beside the new
  // ones.
  size_t best = list.size();
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].isKnown && !std::isinf(list[i].seconds) &&
        (best == list.size() || list[i].seconds < list[best].seconds))
      best = i;
  if (best != list.size())
    list[best].isKnown = false;
  compileAll(launch, list);
  findTwins(launch, list);
  // Of the timing alone: compiles, some on this thread and others beside it, are told as such.
  const profile::Whole whole(profile::Kind::Tune, subject.kernel,
                             std::to_string(list.size()) + " configs for " + subject.key, deviceText(launch.device));

  std::vector<size_t> runners;
  for (size_t i = 0; i < list.size(); ++i)
    if (!list[i].isKnown && !list[i].twinOf && list[i].problem.empty())
      runners.push_back(i);
  const auto named = namedArguments(kernel_, launch.arguments);
  TILEWISE_TRY(KeptMemory memory, KeptMemory::keep(launch.device, kernel_.name(), named, resetToZero, restoreValue));

  auto finished = [&] { return synchronizeStream(launch.device, launch.stream); };
  auto run = [&](size_t runner, uint64_t calls) -> Result<double> {
    const Config &config = list[runners[runner]].config;
    double seconds = 0;
    // What has to be put back between calls is not timed; without that, calls follow each other.
    const uint64_t together = memory.isEmpty() ? calls : 1;
    for (uint64_t done = 0; done < calls; done += together) {
      TILEWISE_CHECK(memory.putBack());
      TILEWISE_CHECK(finished());
      const double start = now();
      for (uint64_t i = 0; i < together; ++i)
        TILEWISE_CHECK(launchWith(launch, config));
      TILEWISE_CHECK(finished());
      seconds += now() - start;
    }
    return seconds;
  };
  const RaceResult result = race(runners.size(), run, settings, progress);
  TILEWISE_CHECK(memory.putBack());
  for (size_t i = 0; i < runners.size(); ++i) {
    TunedConfig &one = list[runners[i]];
    one.seconds = result.racers[i].seconds;
    one.samples = result.racers[i].samples;
    one.problem = result.racers[i].problem;
  }
  for (TunedConfig &one : list) {
    if (one.twinOf)
      one.seconds = list[*one.twinOf].seconds;
    if (!one.problem.empty())
      one.seconds = std::numeric_limits<double>::infinity();
    known[one.config.str()] = one.seconds;
  }
  if (!result.hasWinner())
    return launchFailure("no config of kernel '" + subject.kernel + "' can be run:" + whyNoneRuns(list));
  keepTimes(subject, known, folder);
  return finish(std::move(list), runners[result.winner]);
}

/// Remembers what became of each; the choice is told where TRITON_PRINT_AUTOTUNING asks for it.
Result<Config> Autotuner::finish(std::vector<TunedConfig> list, size_t winner) {
  Config config = list[winner].config;
  if (knobs::printsAutotuning()) {
    std::string text = "tuning of kernel '" + kernel_.name() + "':\n";
    for (const TunedConfig &one : list)
      text += "  " + one.config.str() + ": " +
              (one.problem.empty() ? llvm::formatv("{0:F3} us", one.seconds * 1e6).str()
                                   : llvm::StringRef(one.problem).split('\n').first.str()) +
              (one.twinOf ? ", same code as " + list[*one.twinOf].config.str() : "") +
              (one.isKnown ? ", from an earlier process" : "") + "\n";
    logAsked(text + "best: " + config.str() + "\n");
  }
  const std::lock_guard lock(Choices::instance().mutex);
  latest_ = std::move(list);
  return config;
}

Result<void> Autotuner::prepare(const TunedLaunch &launch, const Config &chosen) const {
  TILEWISE_TRY(const Config config, complete(launch, chosen));
  const std::vector<tw_argument> arguments = config.with(launch.arguments);
  return kernel_.prepare(launch.device, arguments, config.with(launch.options));
}

Result<void> Autotuner::launchWith(const TunedLaunch &launch, const Config &chosen) const {
  TILEWISE_TRY(const Config config, complete(launch, chosen));
  if (preHook)
    preHook(config);
  TILEWISE_TRY(const std::vector<int64_t> grid, launch.grid(config));
  const std::vector<tw_argument> arguments = config.with(launch.arguments);
  Result<void> done = kernel_.launch(launch.device, launch.stream, grid, arguments, config.with(launch.options));
  if (postHook)
    postHook(config);
  return done;
}

Result<void> Autotuner::launch(const TunedLaunch &launch) {
  TILEWISE_TRY(const Config config, choose(launch));
  return launchWith(launch, config);
}

std::vector<TunedConfig> Autotuner::latest() const {
  const std::lock_guard lock(Choices::instance().mutex);
  return latest_;
}

Result<void> Autotuner::save(const std::string &path) const {
  std::unique_lock lock(Choices::instance().mutex);
  const ResultsFile chosen = toShip_;
  lock.unlock();
  return chosen.write(path);
}

} // namespace tilewise::tune
