// Which launches need a compile, and what the host is told of each.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kText = R"(
import triton
import triton.language as tl

@triton.jit(do_not_specialize=["stride"], do_not_specialize_on_alignment=[3])
def add_one(x_ptr, n, stride, offset, BLOCK: tl.constexpr = 16):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at * stride + offset, 1.0, mask=at < n)
)";

struct CompileEvents : testing::Test {
  std::mutex mutex;
  std::vector<std::string> reasons, signatures;
  Tensor x{DType::Float32, {4096}};

  CompileEvents() {
    setCompileCallback([this](const tw_compile_event &event) {
      std::lock_guard lock(mutex);
      EXPECT_EQ(event.struct_size, sizeof event);
      EXPECT_STREQ(event.target, "cpu");
      EXPECT_GT(event.milliseconds, 0);
      reasons.emplace_back(event.reason);
      signatures.emplace_back(event.signature);
    });
  }
  ~CompileEvents() override { setCompileCallback(nullptr); }
};

TEST_F(CompileEvents, TellTheReason) {
  Kernel kernel = Kernel::fromSource(kText);
  uint64_t compiledBefore = 0, recalledBefore = 0, compiled = 0, recalled = 0;
  tw_compile_counts(&compiledBefore, &recalledBefore);
  kernel[1](x, 10, 2, 3);
  kernel[1](x, 11, 2, 3);
  kernel[1](x, 16, 2, 3);
  kernel[1].with({8})(x, 16, 2, 3);
  kernel[1](x, 16, 2, 3, 32);
  EXPECT_EQ(reasons, (std::vector<std::string>{"first launch", "argument 'n' is i32:16, was i32",
                                               "num_warps is 8, was 4", "argument 'BLOCK' is 32, was 16"}));
  tw_compile_counts(&compiled, &recalled);
  EXPECT_EQ(compiled + recalled, compiledBefore + recalledBefore + 4);
}

TEST_F(CompileEvents, TellOfWhatIsCompiledAheadOfALaunch) {
  Kernel kernel = Kernel::fromSource(kText);
  Kernel::fromArtifact(kernel.artifact("*fp32:16, i32, i32, i32, 16"))[1](x, 10, 2, 3);
  EXPECT_EQ(signatures, std::vector<std::string>{"*fp32:16, i32, i32, i32, 16"});
  EXPECT_EQ(reasons, std::vector<std::string>{"ahead of a launch"});
}

TEST_F(CompileEvents, DecoratorsOfAFileAreHeeded) {
  Kernel kernel = Kernel::fromSource(kText);
  kernel[1](x, 10, 1, 16);
  kernel[1](x, 10, 16, 32);
  kernel[1](x, 10, 5, 7);
  ASSERT_EQ(signatures, std::vector<std::string>{"*fp32:16, i32, i32, i32, 16"});
  kernel[1](x, 10, 5, 1);
  EXPECT_EQ(signatures.back(), "*fp32:16, i32, i32, 1, 16");
}

TEST_F(CompileEvents, NoValueNeedsAnotherCompileWhenNothingIsCompiledIn) {
  Kernel kernel = Kernel::fromSource(kText);
  kernel.specializeAll(TW_WIDE_INTEGERS);
  auto *data = static_cast<float *>(x.data());
  for (int64_t n : {int64_t(1), int64_t(10), int64_t(16), int64_t(0), int64_t(1) << 40, int64_t(-5)})
    for (int64_t offset : {1, 16})
      kernel[n > 0 ? 1 : 0](data + offset, n, offset, offset);
  EXPECT_EQ(signatures, std::vector<std::string>{"*fp32, i64, i64, i64, 16"});
  // Per parameter.
  Kernel other = Kernel::fromSource(kText);
  other.specialize(1, TW_SPECIALIZE_ONE);
  other[1](x, 16, 2, 3);
  other[1](x, 17, 2, 3);
  other[1](x, 1, 2, 3);
  EXPECT_EQ(signatures.size(), 3u);
}

TEST_F(CompileEvents, ManyThreadsCompileEachVariantOnce) {
  constexpr int kThreads = 64, kVariants = 6;
  Kernel first = Kernel::fromSource(kText), second = Kernel::fromSource(kText);
  std::atomic<int> ready{0}, failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Tensor own(DType::Float32, {4096});
      ++ready;
      while (ready < kThreads)
        std::this_thread::yield();
      for (int i = 0; i < kVariants; ++i) {
        const int block = 16 << (i + t) % kVariants;
        for (Kernel *kernel : {&first, &second})
          (*kernel)[1](own, 10, 2, 3, block);
        const std::vector<float> stored = own.toVector<float>();
        failures += stored[3] != 1 || stored[21] != 1 || stored[23] != 0;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(first.compileCount(), size_t(kVariants));
  EXPECT_EQ(second.compileCount(), size_t(kVariants));
  EXPECT_EQ(reasons.size(), size_t(2 * kVariants));
}

} // namespace
