// Statements and calls of Python's syntax whose effect shows in a kernel's results.
#include "language/LanguageTest.h"

using namespace tilewise::literals;

namespace tilewise::test {
namespace {

class Syntax : public OnHost {};

TEST_P(Syntax, ReturnInsideAnUnrolledLoop) {
  // The first of 4 entries that equals `wanted`, each round a compile-time constant; what follows
  // the loop runs only without a match.
  Kernel k = kernelOf(R"(
@triton.jit
def position(x, wanted, LIMIT: tl.constexpr):
    seen = 0
    for i in tl.static_range(4):
        if i == LIMIT:
            return -2
        value = tl.load(x + i)
        if value == wanted:
            return i * 10 + seen
        seen += 1
    return -1

@triton.jit
def k(x, y, n, LIMIT: tl.constexpr):
    w = tl.program_id(0)
    if w >= n:
        return
    tl.store(y + w, position(x, w, LIMIT))
)");
  Tensor x = tensor<int>({2, 5, 3, 2});
  auto found = [&](int limit) {
    Tensor y = tensor<int>(std::vector<int>(8, 99));
    k[{8}](x, y, 7, "LIMIT"_a = limit);
    return y.toVector<int>();
  };
  EXPECT_EQ(found(4), (std::vector<int>{-1, -1, 0, 22, -1, 11, -1, 99}));
  EXPECT_EQ(found(2), (std::vector<int>{-2, -2, 0, -2, -2, 11, -2, 99}));
}

TEST_P(Syntax, ReturnFromTheKernelInsideAnUnrolledLoop) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(y, n):
    for i in tl.static_range(3):
        for j in tl.static_range(2):
            if i * 2 + j == n:
                return
            tl.store(y + i * 2 + j, 1)
    tl.store(y + 6, 1)
)");
  for (int n = 0; n < 8; ++n) {
    Tensor y = zeros<int>({7});
    k[{1}](y, n);
    std::vector<int> expected(7, 0);
    std::fill(expected.begin(), expected.begin() + (n < 6 ? n : 7), 1);
    EXPECT_EQ(y.toVector<int>(), expected) << n;
  }
}

TEST_P(Syntax, KernelTakesFurtherArguments) {
  Kernel k = kernelOf(R"(
@triton.jit
def total(first, *others):
    sum = first
    for i in tl.static_range(len(others)):
        sum += others[i]
    return sum

@triton.jit
def k(y, *parts):
    tl.store(y + len(parts) - 1, total(*parts))
)");
  Tensor y = zeros<int>({4});
  k[{1}](y, 5);
  k[{1}](y, 5, 6);
  k[{1}](y, 5, 6, 7, 100);
  EXPECT_EQ(y.toVector<int>(), (std::vector<int>{5, 11, 0, 118}));
}

TEST_P(Syntax, RangeTakesItsStepByName) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(y, n, s):
    for i in range(1, n, step=s):
        tl.store(y + i, i)
)");
  Tensor y = zeros<int>({8});
  k[{1}](y, 8, 3);
  EXPECT_EQ(y.toVector<int>(), (std::vector<int>{0, 1, 0, 0, 4, 0, 0, 7}));
}

TEST_P(Syntax, TypeAsFunctionCasts) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(y, n):
    tl.store(y, tl.float32(n) / 2)
    tl.store(y + 1, tl.int8(n))
    tl.store(y + 2, tl.float32(-float("inf")))
)");
  Tensor y = zeros<float>({3});
  k[{1}](y, 259);
  EXPECT_EQ(y.toVector<float>(), (std::vector<float>{129.5f, 3, -INFINITY}));
}

TEST_P(Syntax, BlockPointerMovesItself) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y):
    p = tl.make_block_ptr(x, (8, ), (1, ), (0, ), (2, ), (0, ))
    total = tl.zeros([2], tl.float32)
    for i in range(4):
        total = total * 10 + tl.load(p)
        p = p.advance((2, ))
    tl.store(y + tl.arange(0, 2), total)
)");
  Tensor x = tensor<float>({1, 2, 3, 4, 5, 6, 7, 8}), y = zeros<float>({2});
  k[{1}](x, y);
  EXPECT_EQ(y.toVector<float>(), (std::vector<float>{1357, 2468}));
}

TEST_P(Syntax, DotTurnsAnOperand) {
  // 16 x 16 of small ints: every sum is exact.
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y, z, A: tl.constexpr, B: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(z + at, tl.dot(tl.load(x + at), tl.load(y + at), trans_a=A, trans_b=B))
)");
  std::vector<float> x = spreadAs<float>(256, -9, 9), y = spreadAs<float>(256, -9, 9, 7);
  for (std::vector<float> *values : {&x, &y})
    for (float &value : *values)
      value = std::floor(value);
  for (bool turnA : {false, true})
    for (bool turnB : {false, true}) {
      Tensor z = zeros<float>({16, 16});
      k[{1}](tensor(x, {16, 16}), tensor(y, {16, 16}), z, "A"_a = turnA, "B"_a = turnB);
      std::vector<float> expected(256);
      for (size_t i = 0; i < 16; ++i)
        for (size_t j = 0; j < 16; ++j)
          for (size_t d = 0; d < 16; ++d)
            expected[i * 16 + j] += x[turnA ? d * 16 + i : i * 16 + d] * y[turnB ? j * 16 + d : d * 16 + j];
      EXPECT_EQ(z.toVector<float>(), expected) << turnA << turnB;
    }
}

TILEWISE_ON_HOST(Syntax);

} // namespace
} // namespace tilewise::test
