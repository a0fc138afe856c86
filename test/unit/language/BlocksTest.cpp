// Functions over whole blocks: sorting, maps over elements, moving elements, counting, reductions
// and scans by tuples, random numbers.
#include "language/LanguageTest.h"

#include <algorithm>

using namespace tilewise::literals;

namespace tilewise::test {
namespace {

class Blocks : public OnHost {};

TEST_P(Blocks, SortAlongEachDimension) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y, DIM: tl.constexpr, DESCENDING: tl.constexpr, HOW: tl.constexpr):
    at = tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :]
    v = tl.load(x + at)
    if HOW == "merge":
        v = tl.bitonic_merge(v, DIM, DESCENDING)
    else:
        v = tl.sort(v, DIM, DESCENDING)
    tl.store(y + at, v)
)");
  std::vector<float> x = spreadAs<float>(256, -50, 50);
  for (size_t i = 0; i < x.size(); i += 3)
    x[i] = std::floor(x[i] / 10); // equal ones
  Tensor y = zeros<float>({8, 32});
  for (int dim : {0, 1, -1})
    for (bool descending : {false, true}) {
      int length = dim == 0 ? 8 : 32, lines = 256 / length, step = dim == 0 ? 32 : 1, stride = dim == 0 ? 1 : 32;
      std::vector<float> expected = x, bitonic = x;
      for (int line = 0; line < lines; ++line) {
        std::vector<float> values;
        for (int i = 0; i < length; ++i)
          values.push_back(x[size_t(line * stride + i * step)]);
        std::sort(values.begin(), values.end());
        // Up to the middle and down again: what a merge takes.
        for (int i = 0; i < length; ++i)
          bitonic[size_t(line * stride + i * step)] = i < length / 2 ? values[2 * i] : values[2 * (length - i) - 1];
        if (descending)
          std::reverse(values.begin(), values.end());
        for (int i = 0; i < length; ++i)
          expected[size_t(line * stride + i * step)] = values[i];
      }
      k[1](tensor(x), y, dim, descending, quoted("sort"));
      EXPECT_EQ(y.toVector<float>(), expected) << dim << descending;
      k[1](tensor(bitonic), y, dim, descending, quoted("merge"));
      EXPECT_EQ(y.toVector<float>(), expected) << "merge " << dim << descending;
    }
}

TEST_P(Blocks, SortKeepsEveryElementWhenSomeAreNaN) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y):
    at = tl.arange(0, 8)
    tl.store(y + at, tl.sort(tl.load(x + at)))
)");
  Tensor y = zeros<float>({8});
  k[1](tensor(std::vector<float>{3, NAN, -1, INFINITY, NAN, 0, -INFINITY, 2}), y);
  std::vector<float> got = y.toVector<float>();
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 6), (std::vector<float>{-INFINITY, -1, 0, 2, 3, INFINITY}));
  EXPECT_TRUE(std::isnan(got[6]) && std::isnan(got[7]));
}

TEST_P(Blocks, TopkGivesTheFirstOfASort) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y, K: tl.constexpr, DESCENDING: tl.constexpr):
    v = tl.load(x + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :])
    tl.store(y + tl.arange(0, 4)[:, None] * K + tl.arange(0, K)[None, :], tl.topk(v, K, descending=DESCENDING))
)");
  std::vector<int32_t> x = spreadAs<int32_t>(64, -1000, 1000);
  for (int count : {1, 4, 16})
    for (bool descending : {true, false}) {
      Tensor y = zeros<int32_t>({4, count});
      k[1](tensor(x), y, count, descending);
      std::vector<int32_t> expected;
      for (int row = 0; row < 4; ++row) {
        std::vector<int32_t> line(x.begin() + row * 16, x.begin() + row * 16 + 16);
        std::sort(line.begin(), line.end());
        if (descending)
          std::reverse(line.begin(), line.end());
        expected.insert(expected.end(), line.begin(), line.begin() + count);
      }
      EXPECT_EQ(y.toVector<int32_t>(), expected) << count << descending;
    }
}

TEST_P(Blocks, MapRunsAFunctionThatBranchesOnEachElement) {
  Kernel k = kernelOf(R"(
@triton.jit
def collatz(n, limit):
    steps = 0
    while (n != 1) & (steps < limit):
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps, n.to(tl.float32)

@triton.jit
def swap(a, b):
    return b, a, a + b, a - b

@triton.jit
def k(x, steps, rest, pairs, sums):
    at = tl.arange(0, 16)
    v = tl.load(x + at)
    s, r = tl.map_elementwise(collatz, v, 10)
    tl.store(steps + at, s)
    tl.store(rest + at, r)
    p, q = tl.map_elementwise(swap, v, pack=2)
    tl.store(pairs + at, p)
    tl.store(sums + at, q)
)");
  std::vector<int32_t> x, steps, pairs, sums;
  std::vector<float> rest;
  for (int i = 0; i < 16; ++i) {
    x.push_back(i + 1);
    int n = i + 1, count = 0;
    for (; n != 1 && count < 10; ++count)
      n = n % 2 ? 3 * n + 1 : n / 2;
    steps.push_back(count);
    rest.push_back(float(n));
    pairs.push_back(i % 2 ? i : i + 2);
    sums.push_back(i % 2 ? -1 : 2 * i + 3);
  }
  Tensor gotSteps = zeros<int32_t>({16}), gotRest = zeros<float>({16}), gotPairs = zeros<int32_t>({16}),
         gotSums = zeros<int32_t>({16});
  k[1](tensor(x), gotSteps, gotRest, gotPairs, gotSums);
  EXPECT_EQ(gotSteps.toVector<int32_t>(), steps);
  EXPECT_EQ(gotRest.toVector<float>(), rest);
  EXPECT_EQ(gotPairs.toVector<int32_t>(), pairs);
  EXPECT_EQ(gotSums.toVector<int32_t>(), sums);
}

TEST_P(Blocks, TieBreaksOfArgmaxAndArgmin) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y):
    v = tl.load(x + tl.arange(0, 8))
    tl.store(y, tl.argmax(v, 0))
    tl.store(y + 1, tl.argmin(v, 0))
    best, at = tl.max(v, 0, return_indices=True)
    tl.store(y + 2, best)
    tl.store(y + 3, at)
)");
  Tensor y = zeros<int32_t>({4});
  k[1](tensor(std::vector<int32_t>{3, 9, -4, 9, -4, 9, 0, 1}), y);
  EXPECT_EQ(y.toVector<int32_t>(), (std::vector<int32_t>{1, 2, 9, 1}));
}

TEST_P(Blocks, ScansAndReductionsOfTuples) {
  // Linear recurrences compose: (a1, b1) then (a2, b2) is (a1 * a2, a2 * b1 + b2).
  Kernel k = kernelOf(R"(
@triton.jit
def compose(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2

@triton.jit
def mean(n1, m1, n2, m2):
    return n1 + n2, (n1 * m1 + n2 * m2) / (n1 + n2)

@triton.jit
def k(a, b, y, m, REVERSE: tl.constexpr):
    at = tl.arange(0, 16)
    x, z = tl.load(a + at), tl.load(b + at)
    _, h = tl.associative_scan((x, z), 0, compose, reverse=REVERSE)
    tl.store(y + at, h)
    count, average = tl.reduce((tl.full((16,), 1.0, tl.float32), z), 0, mean)
    tl.store(m, average)
    tl.store(m + 1, count)
)");
  std::vector<float> a, b;
  for (int i = 0; i < 16; ++i) {
    a.push_back(i % 2 ? 2 : 0.5f);
    b.push_back(float(i % 5 - 2));
  }
  Tensor y = zeros<float>({16}), m = zeros<float>({2});
  for (bool reverse : {false, true}) {
    k[1](tensor(a), tensor(b), y, m, reverse);
    std::vector<float> expected(16);
    float state = 0;
    for (int i = 0; i < 16; ++i) {
      int at = reverse ? 15 - i : i;
      state = expected[at] = i == 0 ? b[at] : a[at] * state + b[at];
    }
    EXPECT_EQ(y.toVector<float>(), expected) << reverse;
    float sum = 0;
    for (float value : b)
      sum += value;
    EXPECT_NEAR(m.toVector<float>()[0], sum / 16, 1e-6);
    EXPECT_EQ(m.toVector<float>()[1], 16);
  }
}

TEST_P(Blocks, HistogramCountsWhatItsMaskLetsThrough) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y):
    at = tl.arange(0, 16)
    v = tl.load(x + at)
    tl.store(y + tl.arange(0, 4), tl.histogram(v, 4))
    tl.store(y + 4 + tl.arange(0, 4), tl.histogram(v, 4, mask=at < 8))
)");
  Tensor y = zeros<int32_t>({8});
  k[1](tensor(std::vector<int32_t>{0, 1, 1, 2, 3, 4, -1, 3, 0, 0, 0, 100, 2, 2, 1, 3}), y);
  EXPECT_EQ(y.toVector<int32_t>(), (std::vector<int32_t>{4, 3, 3, 3, 1, 2, 1, 2}));
}

/// The four words that philox_impl makes of a counter and a key.
template <typename Word> std::vector<Word> philox(const Device &device, std::vector<Word> counterAndKey) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(c, out):
    a, b, d, e = tl.philox_impl(tl.load(c), tl.load(c + 1), tl.load(c + 2), tl.load(c + 3), tl.load(c + 4), tl.load(c + 5))
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, d)
    tl.store(out + 3, e)
)");
  Tensor in(dtypeOf<Word>(), {6}, device), out(dtypeOf<Word>(), {4}, device);
  in.upload(counterAndKey);
  k[1](in, out);
  return out.toVector<Word>();
}

TEST_P(Blocks, PhiloxGivesThePublishedVectors) {
  // From the known answers that come with Random123, philox4x32 and philox4x64 with 10 rounds.
  using W32 = std::vector<uint32_t>;
  EXPECT_EQ(philox<uint32_t>(device(), {0, 0, 0, 0, 0, 0}), (W32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox<uint32_t>(device(), W32(6, ~0u)), (W32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox<uint32_t>(device(), {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0}),
            (W32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  using W64 = std::vector<uint64_t>;
  EXPECT_EQ(philox<uint64_t>(device(), {0, 0, 0, 0, 0, 0}),
            (W64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));
  EXPECT_EQ(philox<uint64_t>(device(), W64(6, ~0ull)),
            (W64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));
  EXPECT_EQ(philox<uint64_t>(device(), {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89,
                                        0x452821e638d01377, 0xbe5466cf34e90c6c}),
            (W64{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

/// Philox with four 32-bit words, in plain C++.
std::array<uint32_t, 4> philoxWords(uint64_t seed, uint64_t offset, int rounds) {
  uint32_t c0 = uint32_t(offset), c1 = uint32_t(offset >> 32), c2 = 0, c3 = 0, k0 = uint32_t(seed),
           k1 = uint32_t(seed >> 32);
  for (int i = 0; i < rounds; ++i) {
    uint64_t p = uint64_t(0xD2511F53) * c0, q = uint64_t(0xCD9E8D57) * c2;
    c0 = uint32_t(q >> 32) ^ c1 ^ k0;
    c1 = uint32_t(q);
    c2 = uint32_t(p >> 32) ^ c3 ^ k1;
    c3 = uint32_t(p);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0, c1, c2, c3};
}

TEST_P(Blocks, RandomNumbersOfSeedAndOffset) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(ints, floats, normals, seed, base: tl.int64, WIDE: tl.constexpr, ROUNDS: tl.constexpr):
    at = tl.arange(0, 8)
    offset = at + base if WIDE else at + base.to(tl.int32)
    a, b, c, d = tl.randint4x(seed, offset, ROUNDS)
    tl.store(ints + at, a)
    tl.store(ints + 8 + at, b)
    tl.store(ints + 16 + at, c)
    tl.store(ints + 24 + at, d)
    tl.store(floats + at, tl.rand(seed, offset, ROUNDS))
    tl.store(normals + at, tl.randn(seed, offset, ROUNDS))
)");
  for (bool wide : {false, true})
    for (int rounds : {10, 7}) {
      const int64_t base = wide ? 0x123456789ll : 1000;
      const int64_t seed = 0x1234567890ll;
      Tensor ints = zeros<uint32_t>({32}), floats = zeros<float>({8}), normals = zeros<float>({8});
      k[1](ints, floats, normals, seed, base, wide, rounds);
      std::vector<uint32_t> gotInts = ints.toVector<uint32_t>();
      std::vector<float> gotFloats = floats.toVector<float>(), gotNormals = normals.toVector<float>();
      for (int i = 0; i < 8; ++i) {
        auto words = philoxWords(uint64_t(seed), uint64_t(base + i), rounds);
        float uniform[2];
        for (int w = 0; w < 4; ++w)
          EXPECT_EQ(gotInts[w * 8 + i], words[w]) << wide << rounds << i << w;
        for (int w = 0; w < 2; ++w) {
          int32_t bits = int32_t(words[w]);
          uniform[w] = float(bits < 0 ? ~bits : bits) * 4.6566127342e-10f;
        }
        EXPECT_EQ(gotFloats[i], uniform[0]);
        double expected =
            std::sqrt(-2 * std::log(std::max(1.0e-7, double(uniform[0])))) * std::cos(6.283185307179586 * uniform[1]);
        EXPECT_NEAR(gotNormals[i], expected, 1e-5);
      }
    }
}

/// int32 wraps around before it is widened, also where a loop carries the block; an address, which
/// must not wrap, still tells its stride.
TEST_P(Blocks, CarriedNumbersWrapBeforeTheyAreWidened) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y, n):
    v = tl.full([4], tl.load(x), tl.int32)
    sum = (v * v + v).to(tl.int64)
    at = (tl.arange(0, 4) * 1 + 0).to(tl.int64)
    for i in range(n):
        sum += 1
        at += 4
    tl.store(y + at, sum + at)
)");
  for (int32_t number : {3, 1 << 20, -70000}) {
    Tensor y = zeros<int64_t>({16});
    k[1](tensor(std::vector<int32_t>{number}), y, 2);
    const int64_t wrapped = int32_t(uint32_t(number) * uint32_t(number) + uint32_t(number));
    std::vector<int64_t> expected(16);
    for (int64_t i = 8; i < 12; ++i)
      expected[size_t(i)] = wrapped + 2 + i;
    EXPECT_EQ(y.toVector<int64_t>(), expected) << number;
  }
}

/// Two stores, one of them in place, of what was loaded from addresses that repeat: all is loaded
/// before anything is stored.
TEST_P(Blocks, TwoStoresOfRepeatedRows) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y):
    row = tl.arange(0, 4)[:, None]
    column = tl.arange(0, 4)[None, :]
    v = tl.load(x + (row % 3) * 4 + column % 2)
    tl.store(x + row * 4 + column, v + 1)
    tl.store(y + row * 4 + column, tl.trans(v))
)");
  std::vector<float> before, doubled, turned(16);
  for (int i = 0; i < 16; ++i)
    before.push_back(float(i * i));
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column) {
      const float loaded = before[size_t(row % 3 * 4 + column % 2)];
      doubled.push_back(loaded + 1);
      turned[size_t(column * 4 + row)] = loaded;
    }
  Tensor x = tensor(before), y = zeros<float>({16});
  k[1](x, y);
  EXPECT_EQ(x.toVector<float>(), doubled);
  EXPECT_EQ(y.toVector<float>(), turned);
}

TILEWISE_ON_HOST(Blocks);

} // namespace
} // namespace tilewise::test
