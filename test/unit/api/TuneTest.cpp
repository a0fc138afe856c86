// Tuning through the public C++ interface: who is timed, what is kept, and what a later process
// does with it.
#include "tilewise/tune.hpp"
#include "api/TuneClock.h"

#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewise;

namespace {

// Each program adds one to a block, `WORK` times over. By the clock of these tests a call takes
// WORK microseconds, whatever else the machine does.
const char *const kText = R"(
import triton
import triton.language as tl

@triton.jit
def add_ones(x_ptr, n, WORK: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for i in range(n * WORK // n):
        tl.store(x_ptr + at, tl.load(x_ptr + at) + 1)
)";

const char *const kDecorated = R"(
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps) for block in (32, 64) for warps in (4, 8)],
                 key=["n"], restore_value=["x_ptr"])
@triton.jit
def add_one(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
)";

Grid gridOf(const Config &config) { return cdiv(4096, config["BLOCK"]); }

struct Tune : testing::Test {
  Kernel kernel = Kernel::fromSource(std::string(kText) + unique());
  Tensor x{DType::Float32, {4096}};

  /// A call takes as many microseconds as its config says; `calls` counts them.
  double clock = 0;
  int calls = 0;
  void useOwnClock(Autotuner &tuner, const char *name = "WORK") {
    test::setClock(tuner.get(), [this] { return clock; });
    tuner.preHook([this, name](const Config &config) {
      clock += double(config[name]) * 1e-6;
      ++calls;
    });
  }

  /// So that results of earlier runs of the test are not known.
  static std::string unique() {
    return "# " + std::to_string(getpid()) + " " +
           std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "\n";
  }
};

TEST_F(Tune, TheFastestIsFoundAndUsed) {
  Autotuner tuned(kernel);
  tuned.add("WORK=400, BLOCK=64").add("WORK=20, BLOCK=64").add("WORK=100, BLOCK=64").key("n").seconds(0.02);
  useOwnClock(tuned);
  EXPECT_EQ(tuned.choose(gridOf, x, 4096), "WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3");
  const std::vector<TunedConfig> list = tuned.latest();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_LT(list[1].seconds, list[2].seconds);
  EXPECT_LT(list[2].seconds, list[0].seconds);
  const float before = x.toVector<float>()[77];
  tuned(gridOf, x, 4096);
  EXPECT_EQ(x.toVector<float>()[77], before + 20);
}

TEST_F(Tune, TwinsAreTimedOnce) {
  Autotuner tuned(kernel);
  tuned.add("WORK=20, BLOCK=64")
      .add("WORK=20, BLOCK=64, num_warps=8, num_stages=1")
      .add("WORK=100, BLOCK=64")
      .seconds(0.02);
  useOwnClock(tuned);
  EXPECT_EQ(tuned.choose(gridOf, x, 4096), "WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3");
  const std::vector<TunedConfig> list = tuned.latest();
  EXPECT_EQ(list[1].twinOf, 0);
  EXPECT_EQ(list[1].samples, 0u);
  EXPECT_EQ(list[1].seconds, list[0].seconds);
  EXPECT_EQ(list[2].twinOf, -1);
}

TEST_F(Tune, WhatCannotBeCompiledIsSkippedAndReported) {
  Autotuner tuned(kernel);
  tuned.add("WORK=20, BLOCK=63").add("WORK=20, BLOCK=64").seconds(0.02);
  EXPECT_EQ(tuned.choose(gridOf, x, 4096), "WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3");
  EXPECT_NE(tuned.latest()[0].problem.find("power of"), std::string::npos) << tuned.latest()[0].problem;
  EXPECT_TRUE(std::isinf(tuned.latest()[0].seconds));

  Autotuner hopeless(kernel);
  hopeless.add("WORK=20, BLOCK=63").add("WORK=20, BLOCK=65");
  try {
    hopeless.choose(gridOf, x, 4096);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const LaunchError &error) {
    EXPECT_NE(std::string(error.what()).find("no config of kernel 'add_ones' can be run"), std::string::npos);
  }
  Autotuner nothing(kernel);
  EXPECT_THROW(nothing.choose(gridOf, x, 4096), LaunchError);
  EXPECT_THROW(nothing.add("BLOCK"), LaunchError);
  EXPECT_THROW(nothing.add("num_warps=0"), LaunchError);
}

TEST_F(Tune, OthersAreKnownByTheirKey) {
  Autotuner tuned(kernel);
  int calls = 0;
  tuned.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").key("n").seconds(0.01).preHook([&](const Config &) {
    ++calls;
  });
  tuned.choose(gridOf, x, 4096);
  const int first = calls;
  EXPECT_GT(first, 2);
  tuned.choose(gridOf, x, 4096);
  EXPECT_EQ(calls, first);
  tuned.choose(gridOf, x, 4095);
  EXPECT_GT(calls, first) << "another value of the key";
  // Another tuner of the same kernel, as in another process: the times are on disk.
  Autotuner later(kernel);
  later.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").key("n").preHook([&](const Config &) { FAIL(); });
  later.choose(gridOf, x, 4096);
  EXPECT_TRUE(later.latest()[0].isKnown);
}

TEST_F(Tune, AListThatGrowsIsTimedInPart) {
  Autotuner before(kernel);
  before.add("WORK=200, BLOCK=64").add("WORK=40, BLOCK=64").seconds(0.01);
  useOwnClock(before);
  before.choose(gridOf, x, 4096);
  Autotuner after(kernel);
  after.add("WORK=200, BLOCK=64").add("WORK=40, BLOCK=64").add("WORK=10, BLOCK=64").seconds(0.01);
  useOwnClock(after);
  EXPECT_EQ(after.choose(gridOf, x, 4096), "WORK: 10, BLOCK: 64, num_warps: 4, num_stages: 3");
  EXPECT_TRUE(after.latest()[0].isKnown);
  EXPECT_FALSE(after.latest()[1].isKnown) << "the best so far runs beside the new one";
  EXPECT_FALSE(after.latest()[2].isKnown);
}

TEST_F(Tune, PruningLeavesOut) {
  Autotuner tuned(kernel);
  tuned.add("WORK=10, BLOCK=64")
      .add("WORK=40, BLOCK=64")
      .add("WORK=80, BLOCK=64")
      .add("WORK=20, BLOCK=64")
      .seconds(0.01);
  tuned.prune([](const Config &config) { return config["WORK"] != 10; });
  tuned.perfModel([](const Config &config) { return double(config["WORK"]); }, 2);
  useOwnClock(tuned);
  EXPECT_EQ(tuned.choose(gridOf, x, 4096), "WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3");
  EXPECT_EQ(tuned.latest().size(), 2u);
  Autotuner none(kernel);
  none.add("WORK=10, BLOCK=64").add("WORK=40, BLOCK=64").prune([](const Config &) { return false; });
  EXPECT_THROW(none.choose(gridOf, x, 4096), LaunchError);
}

TEST_F(Tune, DecoratorsAndMemoryThatIsPutBack) {
  Kernel decorated = Kernel::fromSource(std::string(kDecorated) + unique());
  Autotuner tuned(decorated);
  tuned.seconds(0.01);
  tuned(gridOf, x, 4096);
  EXPECT_EQ(x.toVector<float>()[5], 1.0f) << "what was timed left nothing behind";
  ASSERT_EQ(tuned.latest().size(), 4u);
  EXPECT_EQ(tuned.latest()[1].twinOf, 0);
  Autotuner zeroed(kernel);
  zeroed.add("WORK=10, BLOCK=64").add("WORK=200, BLOCK=64").resetToZero("x_ptr").seconds(0.01);
  useOwnClock(zeroed);
  zeroed(gridOf, x, 4096);
  EXPECT_EQ(x.toVector<float>()[5], 10.0f);
}

TEST_F(Tune, HeuristicsGiveTheirConstants) {
  const std::string text = R"(
import triton
import triton.language as tl

@triton.heuristics({"WHOLE": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0, "TWICE": lambda a: a["BLOCK"] * 2})
@triton.jit
def fill(x_ptr, n, BLOCK: tl.constexpr, WHOLE: tl.constexpr, TWICE: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, (1000 if WHOLE else 0) + TWICE, mask=at < n)
)" + unique();
  Kernel filled = Kernel::fromSource(text);
  Autotuner tuned(filled);
  tuned.add("BLOCK=64").add("BLOCK=32").seconds(0.01).prune([](const Config &config) { return config["BLOCK"] == 32; });
  std::int64_t seen = 0;
  auto grid = [&](const Config &config) {
    seen = config["TWICE"];
    return cdiv(4096, config["BLOCK"]);
  };
  tuned(grid, x, 4096);
  EXPECT_EQ(x.toVector<float>()[5], 1064.0f);
  EXPECT_EQ(seen, 64);
  tuned(grid, x, 4095);
  EXPECT_EQ(x.toVector<float>()[5], 64.0f);
  EXPECT_EQ(x.toVector<float>()[4095], 1064.0f);

  // Without configs, the constants come from the call and from them.
  Autotuner plain(filled);
  plain([&](const Config &) { return Grid(4096 / 128); }, x, 4096, arg("BLOCK", 128));
  EXPECT_EQ(x.toVector<float>()[5], 1256.0f);
}

TEST_F(Tune, ManyThreadsTuneOnce) {
  Autotuner tuned(kernel);
  tuned.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").seconds(0.01);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] {
      Tensor own(DType::Float32, {4096});
      tuned(gridOf, own, 4096);
      failures += own.toVector<float>()[9] < 20;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(Tune, AChildThatIsForkedMeanwhileTunesForItself) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer forbids new threads after fork";
#endif
  Autotuner tuned(kernel);
  tuned.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").key("n").seconds(0.01);
  std::atomic<bool> isUnderWay{false}, mayGoOn{false};
  tuned.preHook([&](const Config &) {
    isUnderWay = true;
    while (!mayGoOn)
      std::this_thread::yield();
  });
  std::thread other([&] { tuned.choose(gridOf, x, 4096); });
  while (!isUnderWay)
    std::this_thread::yield();
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // Where it would wait for the other thread for ever.
    mayGoOn = true;
    tuned(gridOf, x, 4096);
    _exit(tuned.latest().size() == 2 ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  mayGoOn = true;
  other.join();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Tune, HooksMayLookButNotLaunchByTheTuner) {
  Autotuner tuned(kernel);
  tuned.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").key("n").seconds(0.01);
  tuned.preHook([&](const Config &) {
    EXPECT_TRUE(tuned.latest().empty());
    tuned(gridOf, x, 4096);
  });
  try {
    tuned(gridOf, x, 4096);
    FAIL();
  } catch (const LaunchError &error) {
    EXPECT_STREQ(error.what(), "kernel 'add_ones': a function that its tuner calls launches it by the same tuner; "
                               "launch the kernel itself there");
  }
}

TEST_F(Tune, NamesThatAreNoParametersAreRefused) {
  Autotuner tuned(kernel);
  auto told = [](const auto &function) -> std::string {
    try {
      function();
    } catch (const LaunchError &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told([&] { tuned.key("n, WORKS"); }),
            "kernel 'add_ones' has no parameter 'WORKS'; did you mean 'WORK'?; it has x_ptr, n, WORK, BLOCK");
  EXPECT_NE(told([&] { tuned.resetToZero("x"); }), "");
  EXPECT_NE(told([&] { tuned.restoreValue("x"); }), "");
}

TEST_F(Tune, WhatIsDefinedHasTimesOfItsOwn) {
  const std::string text = "LIMIT = 100\n" + std::string(kText) + "    tl.static_assert(WORK <= LIMIT)\n" + unique();
  for (const char *limit : {"25", "100"}) {
    Source source = Source::fromText(text);
    source.define("LIMIT", constant(limit));
    const Kernel limited = source.kernel();
    Autotuner tuned(limited);
    tuned.add("WORK=30, BLOCK=64").add("WORK=20, BLOCK=64").key("n").seconds(0.01);
    useOwnClock(tuned);
    tuned.choose(gridOf, x, 4096);
    EXPECT_EQ(tuned.latest()[0].problem.empty(), std::string(limit) == "100") << tuned.latest()[0].problem;
    EXPECT_FALSE(tuned.latest()[1].isKnown);
  }
}

TEST_F(Tune, AShippedFileNeedsNoTiming) {
  const std::string path = testing::TempDir() + "tuning-" + std::to_string(getpid()) + ".json";
  std::filesystem::remove(path);
  Autotuner tuned(kernel);
  tuned.add("WORK=200, BLOCK=64").add("WORK=20, BLOCK=64").key("n").seconds(0.01);
  useOwnClock(tuned);
  tuned.choose(gridOf, x, 4096);
  tuned.save(path);
  tuned.choose(gridOf, x, 1000);
  tuned.save(path);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("\"kernel\": \"add_ones\""), std::string::npos) << text;
  EXPECT_NE(text.find("n=4096, x_ptr: fp32"), std::string::npos) << text;
  EXPECT_NE(text.find("n=1000, x_ptr: fp32"), std::string::npos) << text;

  // The variables are read in another process.
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    setenv("TILEWISE_TUNING_FILE", path.c_str(), 1);
    setenv("TILEWISE_TUNE", "never", 1);
    Kernel other = Kernel::fromSource(std::string(kText) + unique());
    Autotuner shipped(other);
    shipped.add("WORK=200, BLOCK=64").add("WORK=20, BLOCK=64").key("n").preHook([](const Config &) { _exit(2); });
    if (shipped.choose(gridOf, x, 4096) != "WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3")
      _exit(3);
    std::string warning;
    setLogCallback([&](LogLevel, std::string_view message) { warning += message; });
    // Not tuned for this one: the first, and a warning.
    if (shipped.choose(gridOf, x, 77) != "WORK: 200, BLOCK: 64, num_warps: 4, num_stages: 3")
      _exit(4);
    if (warning.find("is not tuned for n=77") == std::string::npos)
      _exit(5);
    // The list has changed since: it is said that the file's choice is none of it any more.
    Autotuner changed(other);
    changed.add("WORK=200, BLOCK=64").add("WORK=30, BLOCK=64").key("n").choose(gridOf, x, 4096);
    _exit(warning.find("what the tuning file has, WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3, is none of its "
                       "configs") == std::string::npos
              ? 6
              : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  std::filesystem::remove(path);
}

TEST_F(Tune, HooksRunAroundEachCall) {
  Autotuner tuned(kernel);
  tuned.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").key("n").seconds(0.01);
  useOwnClock(tuned);
  int after = 0;
  tuned.postHook([&](const Config &config) {
    EXPECT_EQ(config["BLOCK"], 64);
    EXPECT_EQ(++after, calls);
  });
  tuned.choose(gridOf, x, 4096);
  EXPECT_GT(after, 1);
  const int timed = after;
  tuned(gridOf, x, 4096);
  EXPECT_EQ(after, timed + 1);
}

TEST_F(Tune, WhatAFunctionOfTheHostThrowsTheLaunchThrows) {
  auto tuner = [&] {
    Autotuner tuned(kernel);
    tuned.add("WORK=20, BLOCK=64").add("WORK=30, BLOCK=64").key("n").seconds(0.01);
    return tuned;
  };
  auto told = [&](Autotuner tuned, const Autotuner::MakeGrid &grid) -> std::string {
    try {
      tuned(grid, x, 4096);
    } catch (const std::exception &error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  auto fails = [](const Config &) -> int { throw std::runtime_error("of mine"); };
  EXPECT_EQ(told(tuner(), [](const Config &config) { return cdiv(4096, config["BLOK"]); }),
            "the config (WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3) has no number 'BLOK'");
  EXPECT_EQ(told(std::move(tuner().preHook(fails)), gridOf), "of mine");
  EXPECT_EQ(told(std::move(tuner().postHook(fails)), gridOf), "of mine");
  EXPECT_EQ(told(std::move(tuner().prune(fails)), gridOf), "of mine");
  EXPECT_EQ(told(std::move(tuner().perfModel(fails, 1)), gridOf), "of mine");
  // And nothing of it is left: neither for the next launch nor on disk.
  Autotuner next = tuner();
  useOwnClock(next);
  EXPECT_EQ(next.choose(gridOf, x, 4096), "WORK: 20, BLOCK: 64, num_warps: 4, num_stages: 3");
  EXPECT_FALSE(next.latest()[0].isKnown);
}

TEST_F(Tune, RunsWhereItIsTold) {
  Autotuner tuned(kernel);
  tuned.add("WORK=2, BLOCK=64").key("n").seconds(0.001).on(Device("reference"));
  Options options;
  options.checked = true;
  tuned.with(options);
  // On the reference engine, and checked: the grid is one program too long.
  auto tooLong = [](const Config &config) { return cdiv(4096, config["BLOCK"]) + 1; };
  EXPECT_THROW(tuned(tooLong, x, 4096), LaunchError);
  tuned(gridOf, x, 4096);
  const Stream stream(Device("reference"));
  tuned.on(stream)(gridOf, x, 4096);
}

} // namespace
