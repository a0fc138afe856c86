// A launch in the steady state allocates nothing: counted by replacing operator new for the whole
// test binary.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

// A sanitizer replaces these operators itself.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

static thread_local size_t allocations = 0;

static void *countedAllocate(size_t size, size_t alignment) {
  ++allocations;
  void *memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(size ? size : 1)
                     : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!memory)
    std::abort();
  return memory;
}

void *operator new(size_t size) { return countedAllocate(size, 1); }
void *operator new[](size_t size) { return countedAllocate(size, 1); }
void *operator new(size_t size, std::align_val_t alignment) { return countedAllocate(size, size_t(alignment)); }
void *operator new[](size_t size, std::align_val_t alignment) { return countedAllocate(size, size_t(alignment)); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace tilewise;
using namespace tilewise::literals;

TEST(LaunchCost, NothingIsAllocatedInTheSteadyState) {
  auto fill = Kernel::fromSource(R"(
import triton
import triton.language as tl

@triton.jit
def fill(out_ptr, value, n, BLOCK: tl.constexpr, KIND: tl.constexpr = None):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, value, mask=at < n)
)");
  Tensor out(DType::Float32, {100});
  const auto kind = quoted("some text that would not fit a small string");
  auto launch = [&](int n) { fill[cdiv(n, 16)](out, 1.5f, n, "BLOCK"_a = 16, "KIND"_a = kind); };
  launch(99);
  // One program runs on this thread, which makes its scratch; of the launch above it may have got
  // no share.
  launch(15);
  const size_t before = allocations;
  for (int i = 0; i < 100; ++i)
    launch(99 - 2 * (i % 7));
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(fill.compileCount(), 1u);
}

} // namespace

#endif
