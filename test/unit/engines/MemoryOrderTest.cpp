// Loads and stores of one program keep the order of its text, whatever is fused.
#include "engines/RunSource.h"

namespace tilewise::engines {
namespace {

class MemoryOrder : public OnEngine {};
ON_EACH_ENGINE(MemoryOrder);

// The load's value is used behind a second store, which could share a nest with the first.
TEST_P(MemoryOrder, ALoadBetweenTwoStoresSeesTheFirst) {
  for (int count : {1, 64}) {
    const std::string n = std::to_string(count);
    std::vector<int16_t> a(count, -8), c(count, 99);
    std::vector<double> b(count, 77);
    runSource("@triton.jit\ndef k(a, b, c):\n    i = tl.arange(0, " + n + R"()
    tl.store(a + i, 1)
    y = tl.load(a + i)
    tl.store(b + i, 2)
    tl.store(c + i, y)
)",
              "*i16, *fp64, *i16", a, b, c);
    EXPECT_EQ(a, std::vector<int16_t>(count, 1));
    EXPECT_EQ(b, std::vector<double>(count, 2));
    EXPECT_EQ(c, std::vector<int16_t>(count, 1));
  }
}

TEST_P(MemoryOrder, ALoadBetweenTwoStoresToItsPlace) {
  for (int count : {1, 64}) {
    const std::string n = std::to_string(count);
    std::vector<int16_t> a(count, -8), c(count, 99);
    runSource("@triton.jit\ndef k(a, c):\n    i = tl.arange(0, " + n + R"()
    tl.store(a + i, 1)
    y = tl.load(a + i)
    tl.store(a + i, 2)
    tl.store(c + i, y)
)",
              "*i16, *i16", a, c);
    EXPECT_EQ(a, std::vector<int16_t>(count, 2));
    EXPECT_EQ(c, std::vector<int16_t>(count, 1));
  }
}

} // namespace
} // namespace tilewise::engines
