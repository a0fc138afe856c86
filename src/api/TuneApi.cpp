// tw_tuner_*, tw_config_*, tw_library_config, tw_shipped_config and tw_race.
#include "api/Handles.h"
#include "api/Status.h"
#include "api/TuneHandles.h"
#include "runtime/tune/KeptMemory.h"
#include "runtime/tune/LibraryConfigs.h"
#include "support/DidYouMean.h"
#include "support/Knobs.h"
#include "support/Try.h"
#include "tilewise/tune.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace tilewise;
using tune::Config;

const char *tw_config_text(const tw_config *config) { return config->text.c_str(); }
int64_t tw_config_number(const tw_config *config, const char *name, int64_t fallback) {
  return config->config.number(name).value_or(fallback);
}

tw_status tw_tuner_create(tw_kernel *kernel, tw_tuner **tuner) {
  return guarded([&]() -> Result<void> {
    auto made = std::make_unique<tw_tuner>(*kernel->kernel);
    made->tuner.readDecorator();
    *tuner = made.release();
    return {};
  });
}
void tw_tuner_destroy(tw_tuner *tuner) { delete tuner; }

tw_status tw_tuner_add_config(tw_tuner *tuner, const char *config) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(Config read, Config::parse(config));
    tuner->tuner.configs.push_back(std::move(read));
    return {};
  });
}

static tw_status setNames(const tw_tuner *tuner, std::vector<std::string> &names, const char *text) {
  return guarded([&]() -> Result<void> {
    std::vector<std::string> known, given;
    for (const Parameter &parameter : tuner->kernel.parameters())
      known.push_back(parameter.name);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(text).split(words, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef word : words) {
      given.push_back(word.trim().str());
      if (!llvm::is_contained(known, given.back()))
        return launchFailure("kernel '" + tuner->kernel.name() + "' has no parameter '" + given.back() + "'" +
                             didYouMean(given.back(), known) + "; it has " + llvm::join(known, ", "));
    }
    names = std::move(given);
    return {};
  });
}
tw_status tw_tuner_set_key(tw_tuner *tuner, const char *parameters) {
  return setNames(tuner, tuner->tuner.key, parameters);
}
tw_status tw_tuner_set_reset_to_zero(tw_tuner *tuner, const char *parameters) {
  return setNames(tuner, tuner->tuner.resetToZero, parameters);
}
tw_status tw_tuner_set_restore_value(tw_tuner *tuner, const char *parameters) {
  return setNames(tuner, tuner->tuner.restoreValue, parameters);
}

void tw_tuner_set_prune(tw_tuner *tuner, tw_prune_callback prune, void *user) {
  tuner->tuner.prune = nullptr;
  if (prune)
    tuner->tuner.prune = [tuner, prune, user](const tune::TunedLaunch &) {
      std::vector<size_t> kept;
      for (size_t i = 0; i < tuner->tuner.configs.size(); ++i)
        if (const tw_config config{tuner->tuner.configs[i]}; prune(user, &config))
          kept.push_back(i);
      return kept;
    };
}

void tw_tuner_set_perf_model(tw_tuner *tuner, tw_perf_model model, size_t top_k, void *user) {
  tuner->tuner.topK = top_k;
  tuner->tuner.perfModel = nullptr;
  if (model)
    tuner->tuner.perfModel = [model, user](const tune::TunedLaunch &, const Config &config) {
      const tw_config told{config};
      return model(user, &told);
    };
}

static std::function<void(const Config &)> hookOf(tw_config_hook hook, void *user) {
  if (!hook)
    return nullptr;
  return [hook, user](const Config &config) {
    const tw_config told{config};
    hook(user, &told);
  };
}

void tw_tuner_set_pre_hook(tw_tuner *tuner, tw_config_hook hook, void *user) {
  tuner->tuner.preHook = hookOf(hook, user);
}

void tw_tuner_set_post_hook(tw_tuner *tuner, tw_config_hook hook, void *user) {
  tuner->tuner.postHook = hookOf(hook, user);
}

void tw_tuner_set_seconds(tw_tuner *tuner, double seconds) { tuner->tuner.settings.secondsEach = seconds; }

void tw_tuner_set_progress(tw_tuner *tuner, tw_tune_progress progress, void *user) {
  tuner->tuner.progress = nullptr;
  if (progress)
    tuner->tuner.progress = [progress, user](size_t done, size_t count) { progress(user, done, count); };
}

static tune::TunedLaunch launchOf(tw_device device, void *stream, tw_grid_callback grid, void *user,
                                  const tw_argument *arguments, size_t count, const tw_options *options) {
  tune::TunedLaunch launch{device, stream, {arguments, count}, readOptions(options), nullptr};
  launch.grid = [grid, user](const Config &config) -> Result<std::vector<int64_t>> {
    int64_t size[3] = {1, 1, 1};
    const tw_config told{config};
    grid(user, &told, size);
    return std::vector<int64_t>(size, size + 3);
  };
  return launch;
}

tw_status tw_tuner_launch(tw_tuner *tuner, tw_device device, void *stream, tw_grid_callback grid, void *user,
                          const tw_argument *arguments, size_t count, const tw_options *options) {
  return guarded([&] { return tuner->tuner.launch(launchOf(device, stream, grid, user, arguments, count, options)); });
}

tw_status tw_tuner_choose(tw_tuner *tuner, tw_device device, void *stream, tw_grid_callback grid, void *user,
                          const tw_argument *arguments, size_t count, const tw_options *options, char **config) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(
        const Config chosen,
        tuner->tuner.choose(launchOf(device, stream, grid, user, arguments, count, options), /*timesOnlyOne=*/true));
    *config = copyForCaller(chosen.str());
    return {};
  });
}

size_t tw_tuner_result_count(const tw_tuner *tuner) {
  const_cast<tw_tuner *>(tuner)->keepResults();
  return tuner->results.size();
}

tw_tuned_config tw_tuner_result(const tw_tuner *tuner, size_t index) {
  if (index >= tuner->results.size())
    return {};
  const tune::TunedConfig &one = tuner->results[index];
  return {tuner->texts[index].c_str(),           one.seconds, one.problem.c_str(), one.samples, one.isKnown,
          one.twinOf ? int64_t(*one.twinOf) : -1};
}

tw_status tw_tuner_save(const tw_tuner *tuner, const char *path) {
  return guarded([&] { return tuner->tuner.save(path); });
}

tw_status tw_shipped_config(const char *kernel, tw_device device, const char *key, char **config) {
  return guarded([&]() -> Result<void> {
    std::string text;
    if (const std::string path = knobs::tuningFile(); !path.empty()) {
      TILEWISE_TRY(const tune::ResultsFile file, tune::ResultsFile::read(path));
      TILEWISE_TRY(std::string where, tune::deviceTextForTuning(device));
      if (const std::optional<Config> found = file.find({kernel, "", std::move(where), key}))
        text = found->str();
    }
    *config = copyForCaller(text);
    return {};
  });
}

static tune::RunConfig runOf(tw_library_run run, void *user) {
  if (!run)
    return nullptr;
  return [run, user](const Config &config, uint64_t calls) {
    const tw_config told{config};
    return run(user, &told, calls);
  };
}

tw_status tw_library_config(const char *kernel, tw_device device, tw_dtype dtype, const int64_t *sizes, size_t count,
                            tw_library_run run, void *user, const tw_config **config) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(*config, tune::libraryConfig({kernel, device, dtype, {sizes, count}}, runOf(run, user)));
    return {};
  });
}

tw_status tw_library_tune(const char *kernel, tw_device device, tw_dtype dtype, const int64_t *sizes, size_t count,
                          tw_library_run run, void *user, double seconds_each, const char *path,
                          const tw_config **config) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(*config,
                 tune::tuneLibrary({kernel, device, dtype, {sizes, count}}, runOf(run, user), seconds_each, path));
    return {};
  });
}

tw_status tw_race(size_t count, tw_race_run run, void *user, double seconds_each, double *seconds, size_t *winner) {
  return guarded([&]() -> Result<void> {
    tune::RaceSettings settings;
    settings.secondsEach = seconds_each;
    const tune::RaceResult result = tune::race(
        count,
        [&](size_t index, uint64_t calls) -> Result<double> {
          const double taken = run(user, index, calls);
          return taken < 0 ? Result<double>(launchFailure("it cannot be run")) : Result<double>(taken);
        },
        settings);
    for (size_t i = 0; i < count; ++i)
      seconds[i] = result.racers[i].seconds;
    *winner = result.hasWinner() ? result.winner : count;
    return {};
  });
}
