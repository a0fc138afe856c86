// tilewise-random: random kernels on two engines. See docs/testing.md.
#include "Coverage.h"
#include "Generate.h"
#include "Isolate.h"
#include "Plant.h"
#include "Shrink.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

using namespace tilewise;
using namespace tilewise::random;

namespace {

constexpr const char *kHelp = R"(tilewise-random: generate random kernels, run them on two engines, compare.

  --seed N        the first seed (0)
  --count N       how many seeds (100)
  --engine NAME   cpu, cpu:haswell, cuda, ...: compared with the reference engine (cpu)
  --jobs N        processes side by side (the number of cores)
  --print         only print the kernels of these seeds
  --dump FOLDER   only write the kernels of these seeds and what they do to memory, for test/random/interpret.py
  --shrink        make a failing kernel as small as possible before it is printed
  --out FOLDER    where failing kernels are written as random-SEED.py (.)
  --run FILE      run such a file again
  --max-failures N  stop after so many (10)
  --coverage      print op by type; an empty cell is a failure
  --plant N       plant mistake N in the engine under test; 0 lists them
  --planted       plant every mistake in turn: each must be caught within --count seeds
)";

struct Request {
  uint64_t seed = 0, count = 100;
  BatchOptions batch;
  bool print = false, shrink = false, coverage = false, planted = false, lists = false;
  std::string out = ".", file, dump;
  int maxFailures = 10;
};

[[noreturn]] void usage(const std::string &message) {
  std::fprintf(stderr, "tilewise-random: %s\nSee tilewise-random --help\n", message.c_str());
  std::exit(2);
}

Request parse(int argc, char **argv) {
  Request options;
  options.batch.jobs = int(std::max(1u, std::thread::hardware_concurrency()));
  for (int k = 1; k < argc; ++k) {
    std::string name = argv[k];
    auto value = [&]() -> std::string {
      if (k + 1 >= argc)
        usage(name + " needs a value");
      return argv[++k];
    };
    auto number = [&] {
      std::string text = value();
      char *end = nullptr;
      uint64_t n = std::strtoull(text.c_str(), &end, 10);
      if (text.empty() || *end)
        usage(name + " needs a number, got '" + text + "'");
      return n;
    };
    if (name == "--help") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (name == "--seed")
      options.seed = number();
    else if (name == "--count")
      options.count = number();
    else if (name == "--engine")
      options.batch.run.engine = value();
    else if (name == "--jobs")
      options.batch.jobs = int(number());
    else if (name == "--print")
      options.print = true;
    else if (name == "--dump")
      options.dump = value();
    else if (name == "--shrink")
      options.shrink = true;
    else if (name == "--out")
      options.out = value();
    else if (name == "--run")
      options.file = value();
    else if (name == "--max-failures")
      options.maxFailures = int(number());
    else if (name == "--coverage")
      options.coverage = true;
    else if (name == "--planted")
      options.planted = true;
    else if (name == "--plant") {
      options.batch.run.plant = int(number());
      options.lists = options.batch.run.plant == 0;
      if (options.batch.run.plant > int(plants().size()))
        usage("there are " + std::to_string(plants().size()) + " mistakes to plant");
    } else
      usage("unknown option '" + name + "'");
  }
  return options;
}

/// The file of a failing kernel: what went wrong, how to see it again, then the kernel.
std::string failureFile(const Request &options, uint64_t seed, const Outcome &outcome, const Emitted &kernel,
                        const std::string &path) {
  std::string text =
      "# Seed " + std::to_string(seed) + " on " + options.batch.run.engine + ": " + kindName(outcome.kind) + "\n";
  std::istringstream lines(outcome.text);
  for (std::string line; std::getline(lines, line);)
    text += "#   " + line + "\n";
  std::string plant = options.batch.run.plant ? " --plant " + std::to_string(options.batch.run.plant) : "";
  return text + "# Run it again: tilewise-random --engine " + options.batch.run.engine + plant + " --run " + path +
         "\n" + kernel.file();
}

void showFailure(const Request &options, uint64_t seed, const Outcome &outcome) {
  Sketch sketch = generate(seed);
  Outcome shown = outcome;
  if (options.shrink)
    sketch = shrink(sketch, options.batch, shown);
  const std::string path = options.out + "/random-" + std::to_string(seed) + ".py";
  const std::string text = failureFile(options, seed, shown, emit(sketch), path);
  std::ofstream(path) << text;
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

int runAll(const Request &options) {
  size_t failures = 0, refused = 0, done = 0;
  Coverage coverage;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  auto told = start;
  std::vector<std::pair<uint64_t, Outcome>> failed;
  runSeeds(options.seed, options.count, options.batch, [&](uint64_t seed, const Outcome &outcome) {
    ++done;
    if (Clock::now() - told > std::chrono::seconds(30)) {
      told = Clock::now();
      std::fprintf(stderr, "%zu of %llu seeds, %zu failed\n", done, static_cast<unsigned long long>(options.count),
                   failures);
    }
    refused += outcome.kind == Outcome::Refused;
    if (outcome.kind == Outcome::Same && options.coverage)
      coverage.add(generate(seed));
    if (outcome.isFailure()) {
      ++failures;
      std::printf("seed %llu: %s: %.200s\n", static_cast<unsigned long long>(seed), kindName(outcome.kind),
                  outcome.text.c_str());
      std::fflush(stdout);
      failed.push_back({seed, outcome});
    }
    return int(failures) < options.maxFailures;
  });
  for (const auto &[seed, outcome] : failed)
    showFailure(options, seed, outcome);
  int status = failures > 0;
  if (options.coverage) {
    std::printf("%s", coverage.table(options.batch.run.engine).c_str());
    for (const std::string &cell : coverage.emptyCells()) {
      std::printf("no kernel has %s\n", cell.c_str());
      status = 1;
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf("%zu seeds on %s: %zu failed, %zu refused; %.1f s\n", done, options.batch.run.engine.c_str(), failures,
              refused, seconds);
  return status;
}

int runPlanted(const Request &options) {
  int status = 0;
  for (size_t n = 1; n <= plants().size(); ++n) {
    Request planted = options;
    planted.batch.run.plant = int(n);
    std::optional<std::pair<uint64_t, Outcome>> caught;
    size_t seeds = 0, applied = 0;
    runSeeds(options.seed, options.count, planted.batch, [&](uint64_t seed, const Outcome &outcome) {
      ++seeds;
      applied += outcome.kind != Outcome::NotPlanted;
      // A compiler that refuses the changed IR, or falls over it, has caught nothing.
      if (outcome.kind == Outcome::Different)
        caught = {seed, outcome};
      return !caught;
    });
    std::printf(
        "%2zu %-36s %s (%zu seeds, %zu with it)\n", n, plants()[n - 1].name,
        caught ? ("caught by seed " + std::to_string(caught->first) + ": " + caught->second.text.substr(0, 90)).c_str()
               : "NOT CAUGHT",
        seeds, applied);
    std::fflush(stdout);
    status |= !caught;
  }
  return status;
}

int runFile(const Request &options) {
  std::ifstream in(options.file);
  if (!in)
    usage("cannot read '" + options.file + "'");
  std::stringstream text;
  text << in.rdbuf();
  Emitted kernel;
  if (std::string wrong = kernel.read(text.str()); !wrong.empty())
    usage(options.file + ": " + wrong);
  Outcome outcome = runIsolated(kernel, options.batch);
  std::printf("%s%s%s\n", kindName(outcome.kind), outcome.text.empty() ? "" : ": ", outcome.text.c_str());
  return outcome.isFailure();
}

} // namespace

int main(int argc, char **argv) {
  const Request options = parse(argc, argv);
  if (options.lists) {
    for (size_t n = 1; n <= plants().size(); ++n)
      std::printf("%2zu %s\n", n, plants()[n - 1].name);
    return 0;
  }
  if (!options.file.empty())
    return runFile(options);
  if (options.planted)
    return runPlanted(options);
  if (!options.dump.empty()) {
    for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed)
      if (std::string wrong = dumpKernel(emit(generate(seed)), options.dump + "/" + std::to_string(seed));
          !wrong.empty())
        std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    return 0;
  }
  if (options.print) {
    for (uint64_t seed = options.seed; seed < options.seed + options.count; ++seed)
      std::printf("%s\n", emit(generate(seed)).file().c_str());
    return 0;
  }
  return runAll(options);
}
