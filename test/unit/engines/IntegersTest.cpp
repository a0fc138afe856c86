// Integer ops: every width, and the edge cases that the tile dialect defines.
#include "engines/RunKernel.h"

#include <limits>

namespace tilewise::engines {
namespace {

template <typename S> struct TypeName;
template <> struct TypeName<int8_t> {
  static constexpr const char *kText = "i8";
};
template <> struct TypeName<int16_t> {
  static constexpr const char *kText = "i16";
};
template <> struct TypeName<int32_t> {
  static constexpr const char *kText = "i32";
};
template <> struct TypeName<int64_t> {
  static constexpr const char *kText = "i64";
};

/// A width and the engine to try it on.
template <typename S, Engine E> struct OnWidth {
  using Type = S;
  static constexpr Engine kEngine = E;
};

template <typename Case> class IntegerOps : public testing::Test {
protected:
  using S = typename Case::Type;
  using U = std::make_unsigned_t<S>;
  static constexpr S kMin = std::numeric_limits<S>::min(), kMax = std::numeric_limits<S>::max();
  static constexpr int kWidth = 8 * sizeof(S);

  // All pairs of these go through every op.
  std::vector<S> a, b;
  void SetUp() override {
    engineUnderTest = Case::kEngine;
    std::vector<S> interesting = {
        0, 1, -1, 2, 3, 7, -7, 100, S(kWidth - 1), S(kWidth), S(kWidth + 1), kMin, S(kMin + 1), kMax, S(kMax - 1)};
    for (S x : interesting)
      for (S y : interesting) {
        a.push_back(x);
        b.push_back(y);
      }
  }

  void TearDown() override { engineUnderTest = Engine::Reference; }

  template <typename F> void check(const char *op, F expected) {
    auto got = runBinary<S>(TypeName<S>::kText, TypeName<S>::kText, op, a, b);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(got[i], S(expected(a[i], b[i]))) << op << " of " << int64_t(a[i]) << " and " << int64_t(b[i]);
  }
  template <typename F> void checkCompare(const char *predicate, F expected) {
    auto got = runBinary<uint8_t>(TypeName<S>::kText, "i1", std::string("arith.cmpi ") + predicate + ",", a, b);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(got[i], expected(a[i], b[i]) ? 1 : 0)
          << predicate << " of " << int64_t(a[i]) << " and " << int64_t(b[i]);
  }
};

using Cases = testing::Types<OnWidth<int8_t, Engine::Reference>, OnWidth<int16_t, Engine::Reference>,
                             OnWidth<int32_t, Engine::Reference>, OnWidth<int64_t, Engine::Reference>,
                             OnWidth<int8_t, Engine::Cpu>, OnWidth<int16_t, Engine::Cpu>, OnWidth<int32_t, Engine::Cpu>,
                             OnWidth<int64_t, Engine::Cpu>>;
TYPED_TEST_SUITE(IntegerOps, Cases);

class Bools : public OnEngine {};
ON_EACH_ENGINE(Bools);
class Select : public OnEngine {};
ON_EACH_ENGINE(Select);

// 128 bits hold every exact result; the conversion to S then wraps.
using Wide = __int128;

TYPED_TEST(IntegerOps, Arithmetic) {
  using S = typename TypeParam::Type;
  using U = std::make_unsigned_t<S>;
  this->check("arith.addi", [](S a, S b) { return Wide(a) + b; });
  this->check("arith.subi", [](S a, S b) { return Wide(a) - b; });
  this->check("arith.muli", [](S a, S b) { return Wide(a) * b; });
  this->check("arith.andi", [](S a, S b) { return a & b; });
  this->check("arith.ori", [](S a, S b) { return a | b; });
  this->check("arith.xori", [](S a, S b) { return a ^ b; });
  this->check("arith.minsi", [](S a, S b) { return std::min(a, b); });
  this->check("arith.maxsi", [](S a, S b) { return std::max(a, b); });
  this->check("arith.minui", [](S a, S b) { return std::min(U(a), U(b)); });
  this->check("arith.maxui", [](S a, S b) { return std::max(U(a), U(b)); });
}

TYPED_TEST(IntegerOps, TotalDivision) {
  using S = typename TypeParam::Type;
  using U = std::make_unsigned_t<S>;
  this->check("tile.div_s", [](S a, S b) { return b == 0 ? Wide(-1) : Wide(a) / b; });
  this->check("tile.rem_s", [](S a, S b) { return b == 0 ? Wide(a) : Wide(a) % b; });
  this->check("tile.div_u", [](S a, S b) { return b == 0 ? Wide(-1) : Wide(U(a)) / U(b); });
  this->check("tile.rem_u", [](S a, S b) { return b == 0 ? Wide(U(a)) : Wide(U(a)) % U(b); });
}

TYPED_TEST(IntegerOps, TotalShifts) {
  using S = typename TypeParam::Type;
  using U = std::make_unsigned_t<S>;
  constexpr int kWidth = 8 * sizeof(S);
  this->check("tile.shl", [](S a, S b) { return U(b) >= U(kWidth) ? Wide(0) : Wide(a) * (Wide(1) << b); });
  this->check("tile.shr_u", [](S a, S b) { return U(b) >= U(kWidth) ? Wide(0) : Wide(U(a)) >> b; });
  this->check("tile.shr_s", [](S a, S b) { return Wide(a) >> (U(b) >= U(kWidth) ? kWidth : b); });
}

TYPED_TEST(IntegerOps, Comparisons) {
  using S = typename TypeParam::Type;
  using U = std::make_unsigned_t<S>;
  this->checkCompare("eq", [](S a, S b) { return a == b; });
  this->checkCompare("ne", [](S a, S b) { return a != b; });
  this->checkCompare("slt", [](S a, S b) { return a < b; });
  this->checkCompare("sle", [](S a, S b) { return a <= b; });
  this->checkCompare("sgt", [](S a, S b) { return a > b; });
  this->checkCompare("sge", [](S a, S b) { return a >= b; });
  this->checkCompare("ult", [](S a, S b) { return U(a) < U(b); });
  this->checkCompare("ule", [](S a, S b) { return U(a) <= U(b); });
  this->checkCompare("ugt", [](S a, S b) { return U(a) > U(b); });
  this->checkCompare("uge", [](S a, S b) { return U(a) >= U(b); });
}

TYPED_TEST(IntegerOps, AbsoluteValueWraps) {
  using S = typename TypeParam::Type;
  auto got = runUnary<S>(TypeName<S>::kText, TypeName<S>::kText, "math.absi", this->a);
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], S(this->a[i] < 0 ? -Wide(this->a[i]) : Wide(this->a[i])));
}

TEST_P(Bools, BehaveAsOneBit) {
  std::vector<uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  auto run = [&](const char *op) { return runBinary<uint8_t>("i1", "i1", op, a, b); };
  EXPECT_EQ(run("arith.addi"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(run("arith.muli"), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(run("arith.xori"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(run("arith.cmpi ult,"), (std::vector<uint8_t>{0, 1, 0, 0}));
  // As a signed bit, 1 is -1.
  EXPECT_EQ(run("arith.cmpi slt,"), (std::vector<uint8_t>{0, 0, 1, 0}));
  EXPECT_EQ(run("tile.div_u"), (std::vector<uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(run("tile.shl"), (std::vector<uint8_t>{0, 0, 1, 0}));
  // A byte that is not zero is true.
  std::vector<uint8_t> bytes = {0, 1, 2, 255};
  EXPECT_EQ(runBinary<uint8_t>("i1", "i1", "arith.ori", bytes, bytes), (std::vector<uint8_t>{0, 1, 1, 1}));
}

TEST_P(Select, ByLaneAndWhole) {
  std::vector<uint8_t> condition = {1, 0, 1, 0};
  std::vector<float> a = {1, 2, 3, 4}, b = {-1, -2, -3, -4}, out(4);
  runKernel(
      elementwiseKernel({"i1", "f32", "f32"}, "f32", "%r = arith.select %0, %1, %2 : tensor<4xi1>, tensor<4xf32>", 4),
      {1, 1, 1}, condition, a, b, out);
  EXPECT_EQ(out, (std::vector<float>{1, -2, 3, -4}));
  std::string whole = "%c = arith.constant false\n  %r = arith.select %c, %0, %1 : tensor<4xf32>";
  runKernel(elementwiseKernel({"f32", "f32"}, "f32", whole, 4), {1, 1, 1}, a, b, out);
  EXPECT_EQ(out, b);
}

} // namespace
} // namespace tilewise::engines
