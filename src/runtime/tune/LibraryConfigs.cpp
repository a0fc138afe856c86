// What is known of a launch of the library, where from, and timing where nothing is.
#include "runtime/tune/LibraryConfigs.h"

#include "runtime/DataType.h"
#include "runtime/Device.h"
#include "runtime/Log.h"
#include "runtime/ProcessWide.h"
#include "runtime/ThreadPool.h"
#include "runtime/profile/Profile.h"
#include "runtime/tune/Choices.h"
#include "runtime/tune/DeviceClass.h"
#include "runtime/tune/KeptMemory.h"
#include "runtime/tune/Race.h"
#include "runtime/tune/Results.h"
#include "support/Knobs.h"
#include "support/Try.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <thread>
#include <tuple>

namespace tilewise::tune {

namespace {

struct File {
  const char *name, *text;
};

// Made by CMake: one row per file of kernels/tuned/.
constexpr File kFiles[] = {
#include "TunedFiles.inc"
};

/// The configs that are tried.
constexpr llvm::StringLiteral kConfigs = "configs.json";

/// A config with the handle that hosts read it by.
struct Chosen {
  explicit Chosen(Config chosen) : config(std::move(chosen)) {}
  const Config config;
  const tw_config handle{config};
};

/// Everything that files say, and what was chosen so far.
struct Known {
  std::mutex mutex;
  using Place = std::tuple<std::string, int32_t, int32_t, std::string, tw_dtype, std::vector<uint64_t>>;
  using Choice = std::map<Place, std::unique_ptr<Chosen>>;
  Choice chosen;
  /// What ran where nothing was known and nothing could be timed.
  Choice untimed;
  std::map<std::string, ResultsFile> files; ///< By their paths, and the shipped ones by "".
};

} // namespace

static constinit ProcessWide<Known, ForkLock::LibraryConfigs> known;
[[maybe_unused]] static const bool isForkReady = known.registerForFork<known>();

static std::vector<uint64_t> sizeClass(llvm::ArrayRef<int64_t> sizes) {
  std::vector<uint64_t> rounded;
  for (int64_t size : sizes)
    rounded.push_back(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(size, 1))));
  return rounded;
}

/// "fp32, 4096 x 1024"
static std::string keyOf(tw_dtype type, llvm::ArrayRef<uint64_t> sizes) {
  std::string text = dataTypeName(type);
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? " x " : ", ") + std::to_string(sizes[i]);
  return text;
}

/// How many doublings lie between the sizes of two keys; nothing where one says nothing of the
/// other.
static std::optional<unsigned> distance(llvm::StringRef left, llvm::StringRef right) {
  auto [leftType, leftSizes] = left.split(", ");
  auto [rightType, rightSizes] = right.split(", ");
  // The narrow floats have the same size and pace; one's results are better than none.
  auto isNarrow = [](llvm::StringRef type) { return type == "fp16" || type == "bf16"; };
  if (leftType != rightType && !(isNarrow(leftType) && isNarrow(rightType)))
    return std::nullopt;
  unsigned doublings = leftType == rightType ? 0 : 100;
  while (!leftSizes.empty() && !rightSizes.empty()) {
    llvm::StringRef a, b;
    std::tie(a, leftSizes) = leftSizes.split(" x ");
    std::tie(b, rightSizes) = rightSizes.split(" x ");
    uint64_t x = 0, y = 0;
    if (a.getAsInteger(10, x) || b.getAsInteger(10, y) || x == 0 || y == 0)
      return std::nullopt;
    doublings += unsigned(std::abs(int(llvm::Log2_64(x)) - int(llvm::Log2_64(y))));
  }
  return leftSizes.empty() && rightSizes.empty() ? std::optional(doublings) : std::nullopt;
}

static std::optional<Config> nearest(const ResultsFile &file, const std::string &kernel, const std::string &device,
                                     const std::string &key) {
  std::optional<unsigned> least;
  std::optional<Config> best;
  file.each(kernel, device, [&](const std::string &other, const Config &config) {
    const std::optional<unsigned> doublings = distance(key, other);
    if (doublings && (!least || *doublings < *least)) {
      least = doublings;
      best = config;
    }
  });
  return best;
}

/// The file of a path, or all that are shipped; read once. One that cannot be read is taken as
/// empty, and says so once: whoever calls a function of the library has not asked for tuning.
static const ResultsFile &fileAt(Known &all, const std::string &path, std::string &problem) {
  auto [found, isNew] = all.files.try_emplace(path);
  if (!isNew)
    return found->second;
  auto take = [&](Result<ResultsFile> read) {
    if (read)
      found->second.add(*read);
    else
      problem = read.failure().message + "; the kernel library goes on without it";
  };
  if (!path.empty())
    take(ResultsFile::read(path));
  else
    for (const File &file : kFiles)
      if (llvm::StringRef(file.name) != kConfigs)
        take(ResultsFile::parse(file.text, std::string("kernels/tuned/") + file.name));
  return found->second;
}

static std::optional<Config> fromFiles(const std::string &kernel, const std::string &key, const std::string &device,
                                       const std::string &deviceClass) {
  std::string problem;
  std::optional<Config> found;
  {
    const std::lock_guard lock(known->mutex);
    if (const std::string path = knobs::tuningFile(); !path.empty())
      for (const std::string &each : {device, deviceClass})
        if (!found)
          found = nearest(fileAt(known.get(), path, problem), kernel, each, key);
    if (!found)
      found = nearest(fileAt(known.get(), "", problem), kernel, deviceClass, key);
  }
  if (!problem.empty())
    log(TW_LOG_WARNING, problem);
  return found;
}

/// Those of the first row of configs.json that fits; the first of them is the default.
static Result<std::vector<Config>> configsOf(llvm::StringRef kernel, tw_device device, tw_dtype type) {
  const llvm::StringRef engine = device.engine == TW_ENGINE_CUDA ? "cuda" : "cpu";
  for (const File &file : kFiles) {
    if (llvm::StringRef(file.name) != kConfigs)
      continue;
    auto parsed = llvm::json::parse(file.text);
    if (!parsed)
      return internalFailure("kernels/tuned/configs.json: " + llvm::toString(parsed.takeError()));
    auto has = [](const llvm::json::Array *list, llvm::StringRef word) {
      return list && llvm::any_of(*list, [&](const llvm::json::Value &each) { return each.getAsString() == word; });
    };
    for (const llvm::json::Value &each : *parsed->getAsArray()) {
      const llvm::json::Object &row = *each.getAsObject();
      const llvm::json::Array *types = row.getArray("types");
      const llvm::json::Array *kernels = row.getArray("kernels");
      if (row.getString("engine") != engine || !(has(kernels, kernel) || has(kernels, kernel.split('/').first)) ||
          (types && !has(types, dataTypeName(type))))
        continue;
      std::vector<Config> configs;
      for (const llvm::json::Value &text : *row.getArray("configs")) {
        TILEWISE_TRY(Config config, Config::parse(*text.getAsString()));
        configs.push_back(std::move(config));
      }
      return configs;
    }
  }
  return internalFailure("kernels/tuned/configs.json has no configs of '" + kernel.str() + "' for " + engine.str());
}

/// Compiles all at once, then lets them race.
static RaceResult timeAll(const LibraryLaunch &launch, const std::vector<Config> &configs, const RunConfig &run,
                          const std::string &key, double secondsEach) {
  const profile::Whole whole(profile::Kind::Tune, launch.kernel, std::to_string(configs.size()) + " configs for " + key,
                             deviceText(launch.device));
  std::atomic<size_t> next{0};
  std::vector<char> compiles(configs.size());
  auto compile = [&] {
    for (size_t i; (i = next.fetch_add(1)) < configs.size();)
      compiles[i] = run(configs[i], 0) >= 0;
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min<size_t>(configs.size(), ThreadPool::instance().threads()); ++i)
    threads.emplace_back(compile);
  for (std::thread &thread : threads)
    thread.join();
  RaceSettings settings;
  settings.secondsEach = secondsEach;
  // The first one, which serves all machines well, is left only for what is clearly faster.
  settings.tie = 0.03;
  auto one = [&](size_t index, uint64_t calls) -> Result<double> {
    const double seconds = compiles[index] ? run(configs[index], calls) : -1;
    return seconds < 0 ? Result<double>(launchFailure("it cannot be run")) : Result<double>(seconds);
  };
  RaceResult result = race(configs.size(), one, settings);
  if (knobs::printsAutotuning()) {
    std::string text = "tuning of the library's kernel '" + launch.kernel + "' for " + key + ":\n";
    for (size_t i = 0; i < configs.size(); ++i)
      text += llvm::formatv("  {0}: {1:F3} us\n", configs[i].str(), result.racers[i].seconds * 1e6);
    if (result.hasWinner())
      text += "best: " + configs[result.winner].str() + "\n";
    logAsked(text);
  }
  return result;
}

/// A first call should not take seconds: eight configs are a quarter of one.
constexpr double kSecondsOfFirstUse = 0.03;

/// What an earlier process found out.
static std::optional<Config> recall(const Subject &subject, llvm::ArrayRef<Config> configs) {
  const Times times = recallTimes(subject, cache::Folder::ofProcess());
  std::optional<Config> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Config &config : configs)
    if (auto found = times.find(config.str()); found != times.end() && found->second < least) {
      least = found->second;
      best = config;
    }
  return best;
}

static std::optional<Config> timeAndKeep(const LibraryLaunch &launch, const Subject &subject,
                                         const std::vector<Config> &configs, const RunConfig &run) {
  const RaceResult result = timeAll(launch, configs, run, subject.key, kSecondsOfFirstUse);
  if (!result.hasWinner())
    return std::nullopt;
  Times times;
  for (size_t i = 0; i < configs.size(); ++i)
    times[configs[i].str()] = result.racers[i].seconds;
  keepTimes(subject, times, cache::Folder::ofProcess());
  return configs[result.winner];
}

/// Whose results these are on disk.
static Result<Subject> subjectOf(const LibraryLaunch &launch, const std::string &key) {
  TILEWISE_TRY(std::string device, deviceTextForTuning(launch.device));
  return Subject{launch.kernel, "kernel library", std::move(device), key};
}

static const tw_config *put(Known::Choice Known::*choice, const Known::Place &place, Config config) {
  const std::lock_guard lock(known->mutex);
  std::unique_ptr<Chosen> &chosen = (known.get().*choice)[place];
  if (!chosen)
    chosen = std::make_unique<Chosen>(std::move(config));
  return &chosen->handle;
}

Result<const tw_config *> libraryConfig(const LibraryLaunch &launch, const RunConfig &run) {
  const std::vector<uint64_t> sizes = sizeClass(launch.sizes);
  const Known::Place place{launch.kernel, launch.device.engine, launch.device.index, knobs::cpu(), launch.type, sizes};
  auto chosenBefore = [&]() -> const tw_config * {
    const std::lock_guard lock(known->mutex);
    auto found = known->chosen.find(place);
    return found == known->chosen.end() ? nullptr : &found->second->handle;
  };
  if (const tw_config *config = chosenBefore())
    return config;
  TILEWISE_TRY(const std::vector<Config> configs, configsOf(launch.kernel, launch.device, launch.type));
  // The reference engine shows what a kernel means, not how fast it is.
  if (launch.device.engine == TW_ENGINE_REFERENCE || configs.size() == 1)
    return put(&Known::chosen, place, configs.front());
  TILEWISE_TRY(const Subject subject, subjectOf(launch, keyOf(launch.type, sizes)));
  TILEWISE_TRY(const std::string kind, deviceClass(launch.device));
  if (std::optional<Config> config = fromFiles(launch.kernel, subject.key, subject.device, kind))
    return put(&Known::chosen, place, std::move(*config));
  if (std::optional<Config> config = recall(subject, configs))
    return put(&Known::chosen, place, std::move(*config));
  if (!run)
    return put(&Known::untimed, place, configs.front());
  if (knobs::neverTunes()) {
    if (knobs::printsAutotuning())
      logAsked("the library's kernel '" + launch.kernel + "' is not tuned for " + subject.key + " on " +
               subject.device + ", and TILEWISE_TUNE=never: it runs with " + configs.front().str() + "\n");
    return put(&Known::chosen, place, configs.front());
  }
  Choices &choices = Choices::instance();
  std::unique_lock lock(choices.mutex);
  TILEWISE_TRY(const std::unique_ptr<Choices::Turn> turn,
               choices.take(lock, &known, launch.kernel, [&] { return chosenBefore() != nullptr; }));
  if (!turn)
    return chosenBefore();
  lock.unlock();
  if (std::optional<Config> config = timeAndKeep(launch, subject, configs, run))
    return put(&Known::chosen, place, std::move(*config));
  return put(&Known::untimed, place, configs.front()); // Its launch says why it cannot be run.
}

Result<const tw_config *> tuneLibrary(const LibraryLaunch &launch, const RunConfig &run, double secondsEach,
                                      const std::string &path) {
  const std::vector<uint64_t> sizes = sizeClass(launch.sizes);
  const Known::Place place{launch.kernel, launch.device.engine, launch.device.index, knobs::cpu(), launch.type, sizes};
  TILEWISE_TRY(const std::vector<Config> configs, configsOf(launch.kernel, launch.device, launch.type));
  if (configs.size() == 1)
    return put(&Known::chosen, place, configs.front());
  TILEWISE_TRY(Subject subject, subjectOf(launch, keyOf(launch.type, sizes)));
  const RaceResult result = timeAll(launch, configs, run, subject.key, secondsEach);
  if (!result.hasWinner())
    return launchFailure("no config of kernel '" + launch.kernel + "' can be run for " + subject.key + " on " +
                         subject.device);
  TILEWISE_TRY(subject.device, deviceClass(launch.device));
  ResultsFile file;
  if (llvm::sys::fs::exists(path)) {
    TILEWISE_TRY(file, ResultsFile::read(path));
  }
  const std::optional<Config> earlier = file.find(subject);
  // Two runs that do not agree have seen noise.
  const Config &config = earlier && *earlier != configs[result.winner] ? configs.front() : configs[result.winner];
  file.set(subject, config);
  TILEWISE_CHECK(file.write(path));
  return put(&Known::chosen, place, config);
}

} // namespace tilewise::tune
