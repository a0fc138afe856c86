// The bound on compiled kernels: what is evicted, that it comes back, and that memory stays flat.
#include "runtime/VariantCache.h"
#include "runtime/Epoch.h"
#include "support/Knobs.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kFill = R"(
import triton
import triton.language as tl

@triton.jit
def fill(out_ptr, VALUE: tl.constexpr):
    tl.store(out_ptr + tl.program_id(0), VALUE)
)";

struct Limit {
  explicit Limit(size_t limit) { set(limit); }
  ~Limit() { set(knobs::maxVariants()); }
  static void set(size_t limit) {
    std::lock_guard lock(VariantCache::instance().mutex);
    VariantCache::instance().setLimit(limit);
  }
};

size_t cached() {
  std::lock_guard lock(VariantCache::instance().mutex);
  return VariantCache::instance().size();
}

size_t residentBytes() {
  size_t pages = 0, resident = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%zu %zu", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return resident * size_t(sysconf(_SC_PAGESIZE));
}

TEST(VariantCache, TheLeastRecentlyUsedGoesFirst) {
  const Limit few(cached() + 3);
  auto fill = api::Kernel::fromSource(kFill);
  Tensor out(DType::Int32, {1});
  auto launch = [&](int value) {
    fill[1](out, value);
    EXPECT_EQ(out.toVector<int>()[0], value);
  };
  for (int value : {10, 11, 12})
    launch(value);
  EXPECT_EQ(fill.compileCount(), 3u);
  launch(10); // used again, after 12
  launch(13); // 11 goes
  EXPECT_EQ(fill.compileCount(), 4u);
  for (int value : {10, 12, 13})
    launch(value);
  EXPECT_EQ(fill.compileCount(), 4u);
  launch(11); // compiled again
  EXPECT_EQ(fill.compileCount(), 5u);
}

TEST(VariantCache, ThePlacesOfAKernelThatIsGoneAreFree) {
  const size_t before = cached();
  Tensor out(DType::Int32, {1});
  {
    auto fill = api::Kernel::fromSource(kFill);
    fill[1](out, 5);
    fill[1].on(Device("reference"))(out, 5);
    EXPECT_EQ(cached(), before + 2);
  }
  EXPECT_EQ(cached(), before);
}

// One thread's launch holds a variant while another's compiles evict it.
TEST(VariantCache, AVariantInUseIsNotUnmapped) {
  const Limit one(1);
  auto waits = api::Kernel::fromSource(R"(
import triton
import triton.language as tl

@triton.jit
def waits(flag, out):
    tl.store(out, 1)
    while tl.atomic_add(flag, 0) == 0:
        pass
    tl.store(out, 2)
)");
  auto fill = api::Kernel::fromSource(kFill);
  Tensor flag(DType::Int32, {1}), out(DType::Int32, {1}), other(DType::Int32, {1});
  std::thread launch([&] { waits[1](flag, out); });
  while (__atomic_load_n(out.data<int>(), __ATOMIC_ACQUIRE) == 0)
    std::this_thread::yield();
  for (int value = 0; value < 5; ++value)
    fill[1](other, value + 2);
  __atomic_store_n(flag.data<int>(), 1, __ATOMIC_RELEASE);
  launch.join();
  EXPECT_EQ(out.toVector<int>()[0], 2);
  waits[1](flag, out); // compiled again
  EXPECT_EQ(waits.compileCount(), 2u);
}

TEST(VariantCache, ThreadsMayEvictEachOthersVariants) {
  const Limit few(4);
  auto fill = api::Kernel::fromSource(kFill);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      Tensor out(DType::Int32, {1});
      for (int round = 0; round < 12; ++round)
        for (int again = 0; again < 20; ++again) {
          const int value = 100 + (round + t * 3) % 7;
          fill[1](out, value);
          wrong += out.toVector<int>()[0] != value;
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_LE(cached(), 4u);
}

/// Compiles that many variants with a small cache, and launches each; true growth would be some 100
/// bytes to 100 KB for each.
void growth(int variants, int64_t launches, size_t limit, size_t allowed) {
  const Limit few(limit);
  auto fill = api::Kernel::fromSource(kFill);
  Tensor out(DType::Int32, {1});
  int wrong = 0;
  auto launchAll = [&](int from, int to, int64_t each) {
    for (int value = from; value < to; ++value) {
      for (int64_t i = 0; i < each; ++i)
        fill[1](out, value);
      wrong += out.toVector<int>()[0] != value;
    }
  };
  const int warm = variants / 3;
  launchAll(0, warm, 1);
  const size_t before = residentBytes();
  launchAll(warm, variants, launches / (variants - warm));
  const size_t after = residentBytes();
  std::printf("%d variants, %lld launches: resident %.1f MB after %d variants, %.1f MB at the end\n", variants,
              (long long)launches, double(before) / 1e6, warm, double(after) / 1e6);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(fill.compileCount(), size_t(variants));
  EXPECT_LE(after, before + allowed);
}

// The sanitizers keep what is freed.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(VariantCache, MemoryIsFlatOnceItIsFull) { growth(150, 20000, 20, 4 << 20); }

// The figures that docs/threads.md tells; `dev/test bench` runs it.
TEST(VariantCache, LongTenThousandVariantsAndTenMillionLaunches) {
  if (!std::getenv("TILEWISE_LONG_TESTS"))
    GTEST_SKIP() << "takes minutes: set TILEWISE_LONG_TESTS=1";
  growth(10000, 10000000, 1000, 16 << 20);
}
#endif

} // namespace
