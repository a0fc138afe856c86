// Tuning in C++: a kernel with configs, of which the fastest is found per device and key, used, and
// kept.
//
//     tilewise::Autotuner tuned(matmul);              // with the configs of @triton.autotune, if it has them
//     tuned.add("BLOCK_M=64, BLOCK_N=64, BLOCK_K=32").add("BLOCK_M=32, BLOCK_N=128, BLOCK_K=32").key("M, N, K");
//     tuned([&](const tilewise::Config &c) { return tilewise::Grid{cdiv(M, c["BLOCK_M"]), cdiv(N, c["BLOCK_N"])}; },
//           a, b, c, M, N, K);
//
// The first call times the configs; the next ones, and those of later processes, know. See
// docs/tuning.md.
#ifndef TILEWISE_TUNE_HPP
#define TILEWISE_TUNE_HPP

#include "tilewise.hpp"
#include "tune.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilewise {
inline namespace api { // See error.hpp.

/// A config, as callbacks are given it.
class Config {
public:
  explicit Config(const tw_config *config) : config_(config) {}
  /// The value of a constant that is a whole number, of num_warps or of num_stages.
  std::int64_t operator[](const char *name) const {
    const std::int64_t value = tw_config_number(config_, name, INT64_MIN);
    if (value == INT64_MIN)
      throw LaunchError(std::string("the config (") + text() + ") has no number '" + name + "'");
    return value;
  }
  std::string text() const { return tw_config_text(config_); }

private:
  const tw_config *config_;
};

/// What became of a config in the latest tuning; see tw_tuned_config.
struct TunedConfig {
  std::string config;
  double seconds;
  std::string problem;
  unsigned samples;
  bool isKnown;
  std::int64_t twinOf;
};

class Autotuner {
public:
  /// It keeps the kernel alive.
  explicit Autotuner(const Kernel &kernel) : kernel_(kernel) {
    tw_tuner *made = nullptr;
    detail::check(tw_tuner_create(kernel.get(), &made));
    tuner_.reset(made);
  }

  // Before the first launch; see tune.h for each.
  Autotuner &add(const std::string &config) { return did(tw_tuner_add_config(get(), config.c_str())); }
  Autotuner &key(const std::string &parameters) { return did(tw_tuner_set_key(get(), parameters.c_str())); }
  Autotuner &resetToZero(const std::string &names) { return did(tw_tuner_set_reset_to_zero(get(), names.c_str())); }
  Autotuner &restoreValue(const std::string &names) { return did(tw_tuner_set_restore_value(get(), names.c_str())); }
  Autotuner &seconds(double each) {
    tw_tuner_set_seconds(get(), each);
    return *this;
  }
  Autotuner &prune(std::function<bool(const Config &)> keeps) {
    hooks_->prune = std::move(keeps);
    tw_tuner_set_prune(
        get(),
        [](void *user, const tw_config *c) {
          return called(false, [&] { return static_cast<Hooks *>(user)->prune(Config(c)); });
        },
        hooks_.get());
    return *this;
  }
  Autotuner &perfModel(std::function<double(const Config &)> estimate, std::size_t topK) {
    hooks_->perfModel = std::move(estimate);
    tw_tuner_set_perf_model(
        get(),
        [](void *user, const tw_config *c) {
          return called(0.0, [&] { return static_cast<Hooks *>(user)->perfModel(Config(c)); });
        },
        topK, hooks_.get());
    return *this;
  }
  Autotuner &preHook(std::function<void(const Config &)> hook) {
    hooks_->preHook = std::move(hook);
    tw_tuner_set_pre_hook(
        get(), [](void *user, const tw_config *c) { call(static_cast<Hooks *>(user)->preHook, c); }, hooks_.get());
    return *this;
  }
  Autotuner &postHook(std::function<void(const Config &)> hook) {
    hooks_->postHook = std::move(hook);
    tw_tuner_set_post_hook(
        get(), [](void *user, const tw_config *c) { call(static_cast<Hooks *>(user)->postHook, c); }, hooks_.get());
    return *this;
  }
  /// Where to run. Without it: where the tensors are, or on the CPU.
  Autotuner &on(const Device &device) { return place(device.get(), nullptr); }
  /// The stream is kept alive.
  Autotuner &on(const Stream &stream) { return place(stream.device().get(), stream.stream_); }
  Autotuner &with(const Options &options) {
    options_ = options.get();
    return *this;
  }

  /// Launches with the best config; `grid(config)` gives a Grid. The constants that configs give
  /// are no arguments.
  using MakeGrid = std::function<Grid(const Config &)>;
  template <typename... Arguments> void operator()(const MakeGrid &grid, const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    check(tw_tuner_launch(get(), deviceOf(arguments...), stream_.get(), gridCallback, callbackUser(grid), list.data(),
                          list.size(), &options_));
  }
  /// The text of the best config.
  template <typename... Arguments> std::string choose(const MakeGrid &grid, const Arguments &...arguments) const {
    const std::array<tw_argument, sizeof...(Arguments)> list{{detail::toArgument(arguments)...}};
    char *text = nullptr;
    check(tw_tuner_choose(get(), deviceOf(arguments...), stream_.get(), gridCallback, callbackUser(grid), list.data(),
                          list.size(), &options_, &text));
    return detail::take(text);
  }

  std::vector<TunedConfig> latest() const {
    std::vector<TunedConfig> list;
    for (std::size_t i = 0, count = tw_tuner_result_count(get()); i < count; ++i) {
      const tw_tuned_config one = tw_tuner_result(get(), i);
      list.push_back({one.config, one.seconds, one.problem, one.samples, one.known != 0, one.twin_of});
    }
    return list;
  }
  /// Adds all choices so far to a file for TILEWISE_TUNING_FILE.
  void save(const std::string &path) const { detail::check(tw_tuner_save(get(), path.c_str())); }

  tw_tuner *get() const { return tuner_.get(); }

private:
  struct Destroy {
    void operator()(tw_tuner *tuner) const { tw_tuner_destroy(tuner); }
  };
  struct Hooks {
    std::function<bool(const Config &)> prune;
    std::function<double(const Config &)> perfModel;
    std::function<void(const Config &)> preHook, postHook;
  };

  /// What a function of the host returns; or, when it throws, `otherwise`. The exception ends the
  /// launch: no further function is called, and no grid is one that could be run.
  template <typename T, typename F> static T called(T otherwise, const F &function) {
    if (detail::callbackException())
      return otherwise;
    try {
      return function();
    } catch (...) {
      detail::callbackException() = std::current_exception();
      return otherwise;
    }
  }
  static void call(const std::function<void(const Config &)> &hook, const tw_config *config) {
    called(0, [&] { return hook(Config(config)), 0; });
  }
  static void check(tw_status status) {
    if (detail::callbackException())
      std::rethrow_exception(std::exchange(detail::callbackException(), nullptr));
    detail::check(status);
  }

  Autotuner &did(tw_status status) {
    detail::check(status);
    return *this;
  }
  static void *callbackUser(const MakeGrid &grid) { return const_cast<MakeGrid *>(&grid); }
  static void gridCallback(void *user, const tw_config *config, std::int64_t size[3]) {
    const Grid made = called(Grid(-1), [&] { return (*static_cast<const MakeGrid *>(user))(Config(config)); });
    std::copy(made.data(), made.data() + 3, size);
  }
  Autotuner &place(tw_device device, std::shared_ptr<void> stream) {
    hasDevice_ = true;
    device_ = device;
    stream_ = std::move(stream);
    return *this;
  }
  template <typename... Arguments> tw_device deviceOf(const Arguments &...arguments) const {
    tw_device device = device_;
    if (hasDevice_)
      return device;
    for (const detail::Place &place : {detail::Place(), detail::placeOf(arguments)...})
      if (place.isKnown)
        device = place.device;
    return device;
  }

  Kernel kernel_;
  std::unique_ptr<tw_tuner, Destroy> tuner_;
  std::unique_ptr<Hooks> hooks_ = std::make_unique<Hooks>();
  bool hasDevice_ = false;
  tw_device device_ = tw_cpu();
  std::shared_ptr<void> stream_;
  tw_options options_ = Options().get();
};

} // namespace api
} // namespace tilewise

#endif
