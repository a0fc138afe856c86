// Atomics by operation and element type, waiting for a value, assertions and overflow checks of
// debug builds.
#include "language/LanguageTest.h"

#include <limits>

using namespace tilewise::literals;

namespace tilewise::test {
namespace {

class Atomics : public OnHost {
protected:
  /// Two programs of 8 lanes each apply `op` to the four elements of x; lanes 6 and 7 are masked
  /// off.
  template <typename T> std::vector<T> apply(const std::string &op, std::vector<T> x, const std::vector<T> &values) {
    Kernel k = kernelOf(R"(
@triton.jit
def k(x, v, old):
    i = tl.arange(0, 8)
    value = tl.load(v + tl.program_id(0) * 8 + i)
    tl.store(old + tl.program_id(0) * 8 + i, )" +
                        ("tl.atomic_" + op) +
                        R"((x + i % 4, value, mask=i < 6, sem="relaxed", scope="gpu"))
)");
    Tensor at = tensor(x), old = zeros<T>({16});
    k[2](at, tensor(values), old);
    oldValues<T>() = old.template toVector<T>();
    return at.template toVector<T>();
  }
  template <typename T> static std::vector<T> &oldValues() {
    static std::vector<T> values;
    return values;
  }
  /// What any order of the twelve lanes gives, for an operation that does not care about it.
  template <typename T, typename Op> void expect(const std::string &name, Op op, double low, double high) {
    std::vector<T> x = spreadAs<T>(4, low, high, 3), values = spreadAs<T>(16, low, high, 4), expected = x;
    for (int program = 0; program < 2; ++program)
      for (int i = 0; i < 6; ++i)
        expected[i % 4] = op(expected[i % 4], values[program * 8 + i]);
    std::vector<T> got = apply(name, x, values);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(double(got[i]), double(expected[i])) << name << " " << tilewise::name(dtypeOf<T>()) << " " << i;
    for (int lane : {6, 7, 14, 15})
      EXPECT_EQ(double(oldValues<T>()[lane]), 0) << "a masked lane gives 0";
  }
  template <typename T> void expectInts(double low, double high) {
    expect<T>("add", [](T a, T b) { return T(a + b); }, low / 16, high / 16);
    expect<T>("max", [](T a, T b) { return std::max(a, b); }, low, high);
    expect<T>("min", [](T a, T b) { return std::min(a, b); }, low, high);
    expect<T>("and", [](T a, T b) { return T(a & b); }, low, high);
    expect<T>("or", [](T a, T b) { return T(a | b); }, low, high);
    expect<T>("xor", [](T a, T b) { return T(a ^ b); }, low, high);
  }
};

TEST_P(Atomics, OfInts) {
  expectInts<int32_t>(-2e9, 2e9);
  expectInts<uint32_t>(0, 4e9);
  expectInts<int64_t>(-9e18, 9e18);
  expectInts<uint64_t>(0, 1.8e19);
}

TEST_P(Atomics, OfFloats) {
  // Small integers: their sums are exact in every format, so the order of lanes does not show.
  auto whole = [](auto a, auto b) { return decltype(a)(double(a) + double(b)); };
  std::vector<double> few = spread(20, -8, 8);
  auto sums = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> x(4, T(1.0)), values(16), expected = x;
    for (int i = 0; i < 16; ++i)
      values[i] = T(std::floor(few[i]));
    for (int lane = 0; lane < 16; ++lane)
      if (lane % 8 < 6)
        expected[lane % 8 % 4] = whole(expected[lane % 8 % 4], values[lane]);
    std::vector<T> got = apply("add", x, values);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(double(got[i]), double(expected[i])) << tilewise::name(dtypeOf<T>());
  };
  sums(float());
  sums(double());
  sums(float16());
  sums(bfloat16());
  expect<float>("max", [](float a, float b) { return std::max(a, b); }, -3, 3);
  expect<float>("min", [](float a, float b) { return std::min(a, b); }, -3, 3);
  expect<double>("max", [](double a, double b) { return std::max(a, b); }, -3, 3);
}

TEST_P(Atomics, FloatsOrderByTheirBits) {
  std::vector<float> x = {-0.0f, 0.0f, -1.0f, INFINITY};
  std::vector<float> values(16, -0.0f);
  values[0] = 0.0f;
  std::vector<float> got = apply("max", x, values);
  EXPECT_FALSE(std::signbit(got[0])); // +0 is above -0.
  EXPECT_FALSE(std::signbit(got[1]));
  EXPECT_TRUE(got[2] == 0 && std::signbit(got[2]));
  EXPECT_EQ(got[3], INFINITY);
}

TEST_P(Atomics, PollSeesTheValueOrGivesUp) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(flag, out):
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flag, 5, sem="release")
    else:
        # Programs start in order, so waiting for an earlier one ends.
        seen = tl.atomic_poll(flag, 5)
        late = tl.atomic_poll(flag, 6, timeout_ns=1000)
        tl.store(out, seen.to(tl.int32) * 10 + late.to(tl.int32))
)");
  Tensor flag = zeros<int32_t>({1}), out = zeros<int32_t>({1});
  k[2](flag, out);
  EXPECT_EQ(out.toVector<int32_t>()[0], 10);
}

class DebugBuilds : public OnHost {};
TILEWISE_ON_HOST(DebugBuilds);

TEST_P(DebugBuilds, StopAtAFailedAssertion) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, n):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.device_assert(v > 0, "all are positive", mask=i < n)
    assert n <= 4, "at most four"
    tl.expect_zero(v, i >= n)
)");
  std::vector<int32_t> x = {1, 2, -3, 0};
  Options debug;
  debug.debug = true;
  k[1].on(device())(x.data(), 3); // Without --debug nothing is checked.
  EXPECT_NE(messageOf<LaunchError>([&] { k[1].on(device()).with(debug)(x.data(), 3); }).find("all are positive"),
            std::string::npos);
  EXPECT_NE(messageOf<LaunchError>([&] { k[1].on(device()).with(debug)(x.data(), 2); }).find("expect_zero expected"),
            std::string::npos);
  x = {1, 2, 3, 0};
  k[1].on(device()).with(debug)(x.data(), 3);
  x = {1, 2, 3, 4};
  EXPECT_NE(messageOf<LaunchError>([&] { k[1].on(device()).with(debug)(x.data(), 5); }).find("at most four"),
            std::string::npos);
}

TEST_P(DebugBuilds, StopAtOverflow) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y, out, OP: tl.constexpr):
    a, b = tl.load(x), tl.load(y)
    if OP == "add":
        tl.store(out, a + b)
    elif OP == "sub":
        tl.store(out, a - b)
    elif OP == "mul":
        tl.store(out, a * b)
    else:
        tl.store(out, tl.mul(a, b, sanitize_overflow=False))
)");
  Options debug;
  debug.debug = true;
  auto check = [&](auto x, auto y, const char *op, bool overflows) {
    using T = decltype(x);
    T left = x, right = T(y), out = 0;
    std::string told = messageOf<LaunchError>([&] { k[1].on(device()).with(debug)(&left, &right, &out, quoted(op)); });
    EXPECT_EQ(told.find("overflow detected for operation") != std::string::npos, overflows) << op << ": " << told;
  };
  constexpr int32_t most = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();
  check(most, 1, "add", true);
  check(most, 0, "add", false);
  check(least, 1, "sub", true);
  check(int32_t(65536), 32768, "mul", true);
  check(int32_t(65536), 32767, "mul", false);
  check(int32_t(65536), 65536, "unchecked", false);
  check(uint32_t(0), 1u, "sub", true);
  check(~uint32_t(0), ~0u, "mul", true);
  check(int8_t(-128), -128, "add", true);
  check(int16_t(200), 200, "mul", true);
  check(std::numeric_limits<int64_t>::max(), 1, "add", false);
  debug.overflowChecks = false;
  check(most, 1, "add", false);
}

TEST_P(DebugBuilds, KeepAssertionsWithoutOverflowChecks) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, n):
    tl.device_assert(n + n == 2, "n is one")
    tl.store(x, n + n)
)");
  int32_t x = 0;
  const Options unchecked = Options().withDebug().withOverflowChecks(false);
  k[1].on(device()).with(unchecked)(&x, 1);
  EXPECT_EQ(x, 2);
  EXPECT_NE(messageOf<LaunchError>([&] { k[1].on(device()).with(unchecked)(&x, 1 << 30); }).find("n is one"),
            std::string::npos);
}

TILEWISE_ON_HOST(Atomics);

} // namespace
} // namespace tilewise::test
