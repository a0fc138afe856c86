// How good the autotuner's choices are: its pick of 12 configs of a matrix product in three runs,
// beside the best by measuring each of them for long; and whether a process after it times
// anything.
#include <tilewise/tune.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <unistd.h>

using namespace tilewise;

static constexpr int kSize = 512, kRuns = 3, kRounds = 150;

static std::vector<std::string> configs() {
  std::vector<std::string> list;
  for (const char *sizes : {"16, 64", "32, 32", "32, 128", "64, 64", "64, 128", "128, 128"})
    for (const char *depth : {"32", "128"}) {
      const std::string text = sizes;
      const auto comma = text.find(',');
      list.push_back("BLOCK_M=" + text.substr(0, comma) + ", BLOCK_N=" + text.substr(comma + 2) + ", BLOCK_K=" + depth);
    }
  return list;
}

struct Product {
  Kernel kernel = Kernel::load("kernels/matmul.py");
  Tensor a = Tensor::from(std::vector<float>(kSize * kSize, 0.5f), {kSize, kSize});
  Tensor b = Tensor::from(std::vector<float>(kSize * kSize, 0.25f), {kSize, kSize});
  Tensor c{DType::Float32, {kSize, kSize}};

  static Grid gridOf(const Config &config) { return {cdiv(kSize, config["BLOCK_M"]), cdiv(kSize, config["BLOCK_N"])}; }
  template <typename Tuner> auto choose(const Tuner &tuner) {
    return tuner.choose(gridOf, a, b, c, kSize, kSize, kSize, kSize, 1, kSize, 1, kSize, 1);
  }
  template <typename Tuner> void run(const Tuner &tuner) {
    tuner(gridOf, a, b, c, kSize, kSize, kSize, kSize, 1, kSize, 1, kSize, 1);
  }
};

/// One process: the choice, and how many calls it took.
static int tuneOnce() {
  Product product;
  Autotuner tuned(product.kernel);
  for (const std::string &config : configs())
    tuned.add(config);
  int calls = 0;
  tuned.key("M, N, K").preHook([&](const Config &) { ++calls; });
  std::printf("%s\n", product.choose(tuned).c_str());
  std::printf("%d\n", calls);
  return 0;
}

struct Choice {
  std::string config;
  int calls = -1;
};

static Choice inAnotherProcess(const std::string &folder) {
  setenv("TILEWISE_CACHE_DIR", folder.c_str(), 1);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  FILE *pipe = popen(("'" + self + "' --once").c_str(), "r");
  Choice choice;
  char line[256];
  if (pipe && fgets(line, sizeof line, pipe))
    choice.config = std::string(line, std::strcspn(line, "\n"));
  if (pipe && fgets(line, sizeof line, pipe))
    choice.calls = std::atoi(line);
  if (!pipe || pclose(pipe) != 0)
    std::exit(1);
  return choice;
}

/// Each config's seconds: turns of all of them, the mean of the fastest quarter.
static std::map<std::string, double> measureAll() {
  Product product;
  std::vector<Autotuner> single;
  for (const std::string &config : configs()) {
    single.emplace_back(product.kernel);
    single.back().add(config).key("M, N, K");
    product.run(single.back());
  }
  std::vector<std::vector<double>> samples(single.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < single.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      product.run(single[i]);
      samples[i].push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  std::map<std::string, double> seconds;
  for (std::size_t i = 0; i < single.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    double sum = 0;
    for (int at = 0; at < kRounds / 4; ++at)
      sum += samples[i][at] / (kRounds / 4);
    seconds[product.choose(single[i])] = sum;
  }
  return seconds;
}

int main(int argc, char **) {
  if (argc > 1)
    return tuneOnce();
  const auto folder = std::filesystem::temp_directory_path() / ("tilewise-bench-tune-" + std::to_string(getpid()));
  std::vector<Choice> choices, later;
  for (int run = 0; run < kRuns; ++run) {
    const std::string own = (folder / std::to_string(run)).string();
    std::filesystem::create_directories(own);
    choices.push_back(inAnotherProcess(own));
    later.push_back(inAnotherProcess(own));
  }
  std::map<std::string, double> seconds = measureAll();
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto &[config, time] : seconds)
    sorted.emplace_back(time, config);
  std::sort(sorted.begin(), sorted.end());
  std::printf("%d x %d x %d, fp32, all of them for %d calls:\n", kSize, kSize, kSize, kRounds);
  for (const auto &[time, config] : sorted)
    std::printf("  %8.3f ms  %s\n", time * 1e3, config.c_str());
  for (int run = 0; run < kRuns; ++run)
    std::printf("run %d: %s, %.2f %% behind the best; %d calls, and %d in the next process\n", run + 1,
                choices[run].config.c_str(), (seconds[choices[run].config] / sorted[0].first - 1) * 100,
                choices[run].calls, later[run].calls);
  std::filesystem::remove_all(folder);
}
