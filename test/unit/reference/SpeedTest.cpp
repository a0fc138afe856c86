// How fast the reference engine is: bytes per second of one core, and that the time of an op grows
// with its elements and not faster.
//
// Times are the process's own on the processor, so that other work on the machine counts little.
// Little is not nothing (a neighbour on the same core or cache costs a factor of two), so the
// bounds here are the ones a mistake crosses and a busy machine does not; the figures themselves
// are printed.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>

namespace tilewise {
namespace {

#if defined(__OPTIMIZE__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) &&                  \
    !__has_feature(undefined_behavior_sanitizer)

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// The least of several runs.
template <typename Body> double secondsOf(int runs, Body body) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    double start = processorSeconds();
    body();
    best = std::min(best, processorSeconds() - start);
  }
  return best;
}

Kernel kernelOf(const std::string &parameters, const std::string &body) {
  return Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\ndef k(" + parameters + "):\n" +
                            body);
}

TEST(ReferenceSpeed, VectorAddMovesOneGigabytePerSecondAndCore) {
  const int64_t n = 1 << 24;
  Tensor x = Tensor::from(std::vector<float>(n, 1.0f)), y = Tensor::from(std::vector<float>(n, 2.0f)),
         z = Tensor::like(x);
  Kernel add =
      kernelOf("x, y, z, n, B: tl.constexpr", "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                                              "    inside = at < n\n"
                                              "    s = tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)\n"
                                              "    tl.store(z + at, s, mask=inside)\n");
  double seconds = secondsOf(3, [&] { add[n / 1024].on(Device("reference"))(x, y, z, n, 1024); });
  double rate = 12.0 * double(n) / seconds / 1e9;
  std::printf("reference vector add, 2^24 fp32 in blocks of 1024, checked: %.2f GB/s per core\n", rate);
  RecordProperty("gigabytes_per_second", std::to_string(rate));
  EXPECT_EQ(z.toVector<float>()[n - 1], 3.0f);
  // 1.2 on an idle core; an interpreter that looks at single elements would be a hundred times
  // slower.
  EXPECT_GT(rate, 0.25);
}

/// An op family by a kernel over a block of N elements; `x` holds N of them.
struct Family {
  const char *name, *body;
};

const Family kFamilies[] = {
    {"arithmetic", "v = v * 3 + v\n"},
    {"division", "v = v // 7 + v % 5\n"},
    {"float", "v = (v.to(tl.float32) * 1.5 + 2.0).to(tl.int32)\n"},
    {"math", "v = tl.exp(v.to(tl.float32) * 0.001).to(tl.int32)\n"},
    {"half", "v = (v.to(tl.float16) + v.to(tl.float16)).to(tl.int32)\n"},
    {"compare and where", "v = tl.where(v > 5, v, 0 - v)\n"},
    {"load and store", "tl.store(x + i, v)\nv = tl.load(x + i, mask=i > 3, other=0)\n"},
    {"atomics", "v = tl.atomic_add(x + i, v * 0)\n"},
    {"reduce", "v += tl.sum(v, 0)\n"},
    {"argmax", "v += tl.argmax(v, 0)\n"},
    {"scan", "v = tl.cumsum(v, 0)\n"},
    {"reduce of rows", "v += tl.sum(tl.sum(v.reshape([N // 16, 16]), 1), 0)\n"},
    {"transpose", "v = tl.trans(v.reshape([N // 16, 16])).reshape([N])\n"},
    {"join and split", "a, b = tl.split(tl.join(v, v))\nv = a + b\n"},
    {"gather", "v = tl.gather(v, (i * 17) % N, 0)\n"},
    {"histogram", "v += tl.sum(tl.histogram(i % 64, 64), 0)\n"},
    {"random", "v = tl.randint(round, i).to(tl.int32)\n"},
    {"dot", "a = v.reshape([N // 16, 16]).to(tl.float32)\nb = tl.full([16, 16], 1.0, tl.float32)\n"
            "v = tl.dot(a, b).reshape([N]).to(tl.int32)\n"},
};

TEST(ReferenceSpeed, TimeGrowsWithTheElements) {
  for (const Family &family : kFamilies) {
    std::string body = "    i = tl.arange(0, N)\n    v = tl.load(x + i)\n    for round in range(rounds):\n", line;
    for (const char *at = family.body; *at; ++at) {
      if (line.empty())
        line = "        ";
      line += *at;
      if (*at == '\n') {
        body += line;
        line.clear();
      }
    }
    Kernel kernel = kernelOf("x, rounds, N: tl.constexpr", body + "    tl.store(x + i, v)\n");
    // Sixteen times the elements; both far above what an instruction costs by itself and inside the
    // processor's caches. The best of several tries: whatever else the machine does only makes one
    // longer. Linear is 16 and quadratic 256: the bound lies in the middle of the two.
    double times[2] = {INFINITY, INFINITY}, ratio = INFINITY;
    for (int attempt = 0; attempt < 6 && !(ratio < 64); ++attempt) {
      for (int which : {0, 1}) {
        const int64_t n = which ? 4096 : 256, rounds = which ? 100 : 1600;
        Tensor x = Tensor::from(std::vector<int32_t>(n, 9));
        auto launch = [&] { kernel[1].on(Device("reference"))(x, rounds, n); };
        launch();
        times[which] = std::min(times[which], secondsOf(7, launch) / double(rounds));
      }
      ratio = times[1] / times[0];
    }
    std::printf("reference %-18s 16x the elements take %5.1fx the time (%.2f ns each)\n", family.name, ratio,
                times[1] / 4096 * 1e9);
    EXPECT_LT(ratio, 64) << family.name;
  }
}

#endif

} // namespace
} // namespace tilewise
