// tw_bench against the fake driver: times are those of the GPU's events, and of a recorded graph
// where that is asked for.
#include <tilewise/bench.hpp>
#include <tilewise/tilewise.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace tilewise;

static int failures = 0;
static void expect(bool isGood, const char *what) {
  std::printf("%s: %s\n", isGood ? "ok" : "FAILED", what);
  failures += !isGood;
}

int main(int, char **argv) {
  auto copy = Kernel::load(argv[1]);
  const Device gpu("cuda:0");
  const Stream stream(gpu);
  Tensor x(DType::Float32, {1024}, gpu), z(DType::Float32, {1024}, gpu);
  auto call = [&] { copy[1].on(stream)(x, z, 1024, 1024); };
  auto isAll = [](const BenchTimes &times, double milliseconds) {
    for (double one : times.all)
      if (std::fabs(one - milliseconds) > 1e-6)
        return false;
    return !times.all.empty();
  };

  BenchOptions options{1, 2, false, gpu};
  options.stream = &stream;
  const BenchTimes plain = doBench(call, options);
  expect(isAll(plain, 0.003), "a call takes 3 us by the events of the GPU");
  // 0.5 ms of calls of 3 us are a sample, 2 ms are four of them.
  expect(plain.all.size() == 4, "a sample is a queue of calls");

  options.graph = true;
  expect(isAll(doBench(call, options), 0.002), "a call of a graph takes 2 us");

  options.flushCaches = true;
  options.milliseconds = 0.031;
  const BenchTimes cold = doBench(call, options);
  expect(isAll(cold, 0.002) && cold.all.size() == 10, "with caches flushed a sample is one call");

  options.stream = nullptr;
  try {
    doBench(call, options);
    expect(false, "the default stream is refused");
  } catch (const LaunchError &error) {
    expect(std::string(error.what()).find("not from the default one") != std::string::npos,
           "the default stream is refused");
  }
  // A call that fails while it is recorded leaves the stream as it was.
  options.stream = &stream;
  options.flushCaches = false;
  int left = 100;
  try {
    doBench([&] { --left < 0 ? throw std::runtime_error("mine") : call(); }, options);
    expect(false, "what a call throws is thrown");
  } catch (const std::runtime_error &error) {
    expect(std::string(error.what()) == "mine", "what a call throws is thrown");
  }
  expect(isAll(doBench(call, options), 0.002), "and the next measurement works");
  return failures != 0;
}
