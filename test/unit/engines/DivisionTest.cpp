// Quotients and remainders of blocks of integers, by one divisor for all lanes and by one for each,
// against those of 64-bit integers.
#include "engines/RunSource.h"

#include <limits>

namespace tilewise::engines {
namespace {

class Division : public OnEngine {};
ON_EACH_ENGINE(Division);

constexpr size_t kCount = 64;

/// The extremes, and numbers around multiples of the divisor, which are where a rounded quotient
/// would go wrong.
template <typename T> std::vector<T> dividendsOf(T divisor) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all = {
      0, 1, 2, T(-1), T(-2), Limits::max(), T(Limits::max() - 1), Limits::min(), T(Limits::min() + 1)};
  for (uint64_t k = 1; all.size() < kCount; k = k * 7 + 3) {
    const uint64_t multiple = k * uint64_t(divisor);
    for (int off : {-1, 0, 1})
      if (all.size() < kCount)
        all.push_back(T(multiple + uint64_t(off)));
  }
  return all;
}

template <typename T> void check(const std::string &type) {
  SCOPED_TRACE(type);
  const std::string text = R"(
@triton.jit
def k(x, d, q, r, q2, r2):
    i = tl.arange(0, 64)
    a = tl.load(x + i)
    one = tl.load(d)
    tl.store(q + i, a // one)
    tl.store(r + i, a % one)
    each = tl.load(d + i)
    tl.store(q2 + i, a // each)
    tl.store(r2 + i, a % each)
)";
  auto kernel = loadSource(text, "*" + type + ", *" + type + ", *" + type + ", *" + type + ", *" + type + ", *" + type);
  ASSERT_TRUE(kernel);
  using Limits = std::numeric_limits<T>;
  for (T divisor : {T(1), T(2), T(3), T(7), T(10), T(49), T(100), T(-1), T(-3), T(0), Limits::max(), Limits::min(),
                    T(Limits::max() / 2), T(Limits::max() - 1)}) {
    std::vector<T> x = dividendsOf(divisor), d(kCount), q(kCount), r(kCount), q2(kCount), r2(kCount);
    for (size_t i = 0; i < kCount; ++i)
      d[i] = i % 3 == 1 ? T(divisor + T(i)) : divisor;
    const std::vector<uint64_t> slots = {reinterpret_cast<uint64_t>(x.data()),  reinterpret_cast<uint64_t>(d.data()),
                                         reinterpret_cast<uint64_t>(q.data()),  reinterpret_cast<uint64_t>(r.data()),
                                         reinterpret_cast<uint64_t>(q2.data()), reinterpret_cast<uint64_t>(r2.data())};
    auto done = kernel->launch(slots, {{1, 1, 1}}, nullptr);
    ASSERT_TRUE(done) << done.failure().message;
    for (size_t i = 0; i < kCount; ++i) {
      auto expect = [&](T by, T quotient, T remainder) {
        EXPECT_EQ(quotient, by == 0 ? T(-1) : T(int64_t(x[i]) / int64_t(by))) << int64_t(x[i]) << " // " << int64_t(by);
        EXPECT_EQ(remainder, by == 0 ? x[i] : T(int64_t(x[i]) % int64_t(by))) << int64_t(x[i]) << " % " << int64_t(by);
      };
      expect(divisor, q[i], r[i]);
      expect(d[i], q2[i], r2[i]);
    }
  }
}

TEST_P(Division, SignedIntegers) {
  check<int8_t>("i8");
  check<int16_t>("i16");
  check<int32_t>("i32");
}

TEST_P(Division, UnsignedIntegers) {
  check<uint8_t>("u8");
  check<uint16_t>("u16");
  check<uint32_t>("u32");
}

} // namespace
} // namespace tilewise::engines
