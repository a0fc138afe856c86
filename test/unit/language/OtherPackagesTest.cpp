// Functions of other packages that kernels call: torch's helpers for its generated kernels, ragged
// descriptors.
#include "language/LanguageTest.h"

#include <limits>

using namespace tilewise::literals;

namespace tilewise::test {
namespace {

class OtherPackages : public OnHost {};

TEST_P(OtherPackages, InductorsComparisonsLetNanWin) {
  Kernel k = kernelOf(R"(
from torch._inductor.runtime import triton_helpers

@triton.jit
def k(x, y, z, at):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(z + i, triton_helpers.maximum(a, b))
    tl.store(z + 8 + i, triton_helpers.minimum(a, b))
    tl.store(z + 16, triton_helpers.max2(a, 0))
    tl.store(z + 17, triton_helpers.prod(b, 0))
    value, index = triton_helpers.max_with_index(b, i, 0)
    tl.store(z + 18, value)
    tl.store(at, index)
    value, index = triton_helpers.min_with_index(a, i, 0)
    tl.store(z + 19, value)
    tl.store(at + 1, index)
    tl.store(at + 2, triton_helpers.any(b > 8, 0).to(tl.int32))
)");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x{1, nan, 3, -4, 5, 6, nan, 8}, y{2, 2, 2, 2, 9, 1, 1, 9};
  Tensor z = zeros<float>({20}), at = zeros<int>({3});
  k[1](tensor(x), tensor(y), z, at);
  std::vector<float> got = z.toVector<float>();
  for (size_t i = 0; i < 8; ++i) {
    bool isNan = std::isnan(x[i]);
    EXPECT_TRUE(isNan ? std::isnan(got[i]) : got[i] == std::max(x[i], y[i])) << i << " " << got[i];
    EXPECT_TRUE(isNan ? std::isnan(got[8 + i]) : got[8 + i] == std::min(x[i], y[i])) << i << " " << got[8 + i];
  }
  EXPECT_TRUE(std::isnan(got[16]));
  EXPECT_EQ(got[17], 2 * 2 * 2 * 2 * 9 * 9);
  EXPECT_EQ(got[18], 9);
  EXPECT_TRUE(std::isnan(got[19]));
  EXPECT_EQ(at.toVector<int>(), (std::vector<int>{4, 1, 1}));
}

TEST_P(OtherPackages, InductorsIntegerDivisionIsPythons) {
  Kernel k = kernelOf(R"(
from torch._inductor.runtime import triton_helpers

@triton.jit
def k(x, y, z):
    i = tl.arange(0, 8)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(z + i, triton_helpers.div_floor_integer(a, b))
    tl.store(z + 8 + i, triton_helpers.remainder_integer(a, b))
)");
  Tensor z = zeros<int>({16});
  k[1](tensor<int>({7, -7, 7, -7, 6, -6, 0, 1}), tensor<int>({2, 2, -2, -2, 3, 3, -5, -5}), z);
  EXPECT_EQ(z.toVector<int>(), (std::vector<int>{3, -4, -4, 3, 2, -2, 0, -1, 1, 1, -1, -1, 0, 0, 0, -4}));
}

TEST_P(OtherPackages, InductorsWelford) {
  Kernel k = kernelOf(R"(
from torch._inductor import triton_helpers

@triton.jit
def k(x, z, n):
    i = tl.arange(0, 4)
    mean, m2, weight = tl.zeros([4], tl.float32), tl.zeros([4], tl.float32), tl.zeros([4], tl.float32)
    for start in range(0, n, 4):
        value = tl.load(x + start + i)
        mean, m2, weight = triton_helpers.welford_reduce(value, mean, m2, weight, False)
    mean, m2, weight = triton_helpers.welford(mean, m2, weight, 0)
    tl.store(z, mean)
    tl.store(z + 1, m2)
    tl.store(z + 2, weight)
)");
  // 0, 1, ..., 15: mean 7.5, squared distances 340.
  std::vector<float> x(16);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  Tensor z = zeros<float>({3});
  k[1](tensor(x), z, 16);
  std::vector<float> got = z.toVector<float>();
  EXPECT_NEAR(got[0], 7.5, 1e-5);
  EXPECT_NEAR(got[1], 340, 1e-3);
  EXPECT_EQ(got[2], 16);
}

TEST_P(OtherPackages, InductorsSoftmaxInOnePass) {
  Kernel k = kernelOf(R"(
from torch._inductor.runtime import triton_helpers

@triton.jit
def k(x, z, n):
    i = tl.arange(0, 4)[None, :]
    row = tl.arange(0, 2)[:, None]
    most, sums = tl.full([2, 4], float("-inf"), tl.float32), tl.zeros([2, 4], tl.float32)
    for start in range(0, n, 4):
        most, sums = triton_helpers.online_softmax_combine(most, sums, tl.load(x + row * n + start + i), True)
    most, sums = triton_helpers.online_softmax_reduce(most, sums, 1, True)
    at = tl.arange(0, 2)
    tl.store(z + at, most)
    tl.store(z + 2 + at, sums)
    whole = tl.load(x + row * n + i)
    tl.store(z + 4 + at, triton_helpers.select_one(whole, i == 2, 1))
)");
  std::vector<float> x{1, 2, -3, 4, 5, 6, 7, 8};
  x.resize(16, -std::numeric_limits<float>::infinity());
  double sum = 0;
  for (size_t i = 0; i < 8; ++i)
    sum += std::exp(x[i] - 8.0);
  Tensor z = zeros<float>({6});
  k[1](tensor(x), z, 8);
  const std::vector<float> got = z.toVector<float>();
  EXPECT_EQ(got[0], 8);
  EXPECT_EQ(got[1], x[8]);
  EXPECT_NEAR(got[2], sum, 1e-5);
  // Each of a row's elements is its maximum.
  EXPECT_EQ(got[3], 8);
  EXPECT_EQ(got[4], -3);
  EXPECT_EQ(got[5], x[8]);
}

TEST_P(OtherPackages, RaggedBlocksEndWithTheirPart) {
  // Rows [off, off + size) are moved by blocks of 4 rows: nothing beyond the part is read or
  // written.
  Kernel k = kernelOf(R"(
from triton.tools.ragged_tma import load_ragged, store_ragged

@triton.jit
def rows(x):
    return tl.make_tensor_descriptor(x, [0x7fff0000, 0x7fff0000, 0x40000000, 4], [2**34 - 4, 4, 4, 1], [1, 1, 4, 4])

@triton.jit
def k(x, y, off, size):
    for row in range(0, size, 4):
        store_ragged(rows(y), off, size, [row, 0], load_ragged(rows(x), off, size, [row, 0]) + 1)
)");
  std::vector<float> x(64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  Tensor y = zeros<float>({16, 4});
  k[1](tensor(x, {16, 4}), y, 3, 6);
  std::vector<float> expected(64);
  for (size_t i = 3 * 4; i < 9 * 4; ++i)
    expected[i] = x[i] + 1;
  EXPECT_EQ(y.toVector<float>(), expected);
}

TILEWISE_ON_HOST(OtherPackages);

} // namespace
} // namespace tilewise::test
