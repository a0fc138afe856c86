// A server launches for weeks: launches keep no memory.
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

/// What the process holds, in bytes.
std::int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void launchMany(const char *device, std::int64_t count) {
  auto add = Kernel::load(test::rootPath("kernels/vector_add.py"));
  const Device where(device);
  const Tensor x = Tensor::from(std::vector<float>(64, 1), {64}, where), y = x.copy(), z = Tensor::like(x);
  // Values that are compiled in, and some that are not.
  auto launch = [&](std::int64_t i) { add[1](x, y, z, i % 3 == 0 ? 64 : 61 + i % 3, "BLOCK"_a = 64); };
  for (std::int64_t i = 0; i < count / 10; ++i)
    launch(i);
  const std::int64_t before = residentBytes();
  for (std::int64_t i = 0; i < count; ++i)
    launch(i);
  // The smallest block that malloc gives takes 32 bytes: one kept per launch would be four times
  // this. Pages that others of the process touch come to less.
  EXPECT_LT(residentBytes() - before, 8 * count) << device;
}

TEST(Leak, LaunchesKeepNoMemory) {
  launchMany("cpu", 1'000'000);
  launchMany("reference", 200'000);
}

} // namespace
