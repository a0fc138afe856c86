// Block pointers and tensor descriptors: what they read and write at borders, across loops,
// branches and calls, and from the host.
#include "language/LanguageTest.h"

using namespace tilewise::literals;

namespace tilewise::test {
namespace {

class Descriptors : public OnHost {
protected:
  /// 0, 1, 2, ... in a matrix.
  static std::vector<float> counted(size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = float(i);
    return values;
  }
  /// Element (i, j) of a rows x cols matrix that counts, or `outside`.
  static float at(int64_t i, int64_t j, int64_t rows, int64_t cols, float outside) {
    return i >= 0 && i < rows && j >= 0 && j < cols ? float(i * cols + j) : outside;
  }
};

TEST_P(Descriptors, LoadGivesThePaddingOutside) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, out, i, j, M, N, PAD: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[8, 4], padding_option=PAD)
    o = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.static_assert(d.dtype == tl.float32 and d.block_shape == (8, 4))
    tl.store(out + o, d.load([i, j]))
)");
  Tensor x = tensor(counted(6 * 8), {6, 8}), out = zeros<float>({8, 4});
  for (auto [i, j] : {std::pair{0, 0}, {2, 5}, {-3, -2}, {6, 0}, {100, 100}})
    for (bool isNan : {false, true}) {
      k[1](x, out, i, j, 6, 8, quoted(isNan ? "nan" : "zero"));
      std::vector<float> got = out.toVector<float>();
      for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 4; ++c) {
          float expected = at(i + r, j + c, 6, 8, isNan ? NAN : 0);
          EXPECT_TRUE(got[r * 4 + c] == expected || (std::isnan(expected) && std::isnan(got[r * 4 + c])))
              << i << ", " << j << " at " << r << ", " << c << ": " << got[r * 4 + c];
        }
    }
}

TEST_P(Descriptors, StoreLeavesTheOutsideAlone) {
  // The matrix is the left part of a wider one: what lies right of it must not change.
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, i, j, M, N, stride):
    d = tl.make_tensor_descriptor(x, [M, N], [stride, 1], [4, 8])
    d.store([i, j], tl.full((4, 8), 7, tl.int32))
)");
  Tensor x = zeros<float>({6, 16});
  k[1](x, 4, 6, 6, 10, 16);
  std::vector<float> got = x.toVector<float>();
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(got[r * 16 + c], r >= 4 && c >= 6 && c < 10 ? 7 : 0) << r << ", " << c;
}

TEST_P(Descriptors, GatherAndScatterRows) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, rows, out, M, N):
    r = tl.load(rows + tl.arange(0, 8))
    d = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, 8])
    e = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, 8])
    e.scatter(d.gather(r, 2) + 0.5, r, 2)
)");
  std::vector<int32_t> rows = {3, 0, 5, 9, -1, 1, 2, 4};
  Tensor x = tensor(counted(6 * 16), {6, 16}), out = zeros<float>({6, 16});
  k[1](x, tensor(rows), out, 6, 16);
  std::vector<float> got = out.toVector<float>();
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(got[r * 16 + c], c >= 2 && c < 10 ? float(r * 16 + c) + 0.5f : 0) << r << ", " << c;
}

TEST_P(Descriptors, AtomicsAddInside) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, N):
    d = tl.make_tensor_descriptor(x, [N], [1], [16])
    d.atomic_add([tl.program_id(0) * 4], tl.arange(0, 16))
    d.atomic_max([0], tl.full((16,), 5, tl.int32))
)");
  Tensor x = zeros<int32_t>({10});
  k[2](x, 8);
  std::vector<int32_t> got = x.toVector<int32_t>();
  // The two programs run in any order, but sums of what is not negative only grow.
  EXPECT_EQ(got[8], 0);
  EXPECT_EQ(got[9], 0);
  for (int i = 0; i < 8; ++i)
    EXPECT_GE(got[i], std::max(5, i + (i >= 4 ? i - 4 : 0))) << i;
}

TEST_P(Descriptors, FlowThroughLoopsBranchesAndCalls) {
  Kernel k = kernelOf(R"(
@triton.jit
def pick(flag, a, b, N):
    d = tl.make_tensor_descriptor(a, [N], [1], [4])
    if flag != 0:
        d = tl.make_tensor_descriptor(b, [N], [1], [4])
    return d

@triton.jit
def k(a, b, out, flag, N, STEPS: tl.constexpr):
    d = pick(flag, a, b, N)
    p = tl.make_block_ptr(a, (N,), (1,), (0,), (4,), (0,))
    acc = tl.zeros((4,), tl.float32)
    for i in range(STEPS):
        acc += d.load([i * 4]) + tl.load(p, boundary_check=(0,))
        p = tl.advance(p, (4,))
    tl.store(out + tl.arange(0, 4), acc)
)");
  std::vector<float> a = counted(10), b(10, 100);
  Tensor out = zeros<float>({4});
  for (int flag : {0, 3}) {
    k[1](tensor(a), tensor(b), out, flag, 10, 3);
    std::vector<float> expected(4), got = out.toVector<float>();
    for (int i = 0; i < 10; ++i)
      expected[i % 4] += a[i] + (flag ? b[i] : a[i]);
    EXPECT_EQ(got, expected) << flag;
  }
}

TEST_P(Descriptors, AVariableHoldsBlockPointersOfKnownAndOfUnknownStrides) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(a, b, out, row_stride, column_stride, STEPS: tl.constexpr, FROM_B: tl.constexpr):
    rows = tl.arange(0, 4)[:, None]
    acc = tl.zeros((4, 8), tl.float32)
    if FROM_B:
        p = tl.make_block_ptr(b, (4, 8), (8, 1), (0, 0), (4, 8), (1, 0))
        acc += tl.load(p)
    for i in range(STEPS):
        p = tl.make_block_ptr(a + i, (4, 8), (row_stride, column_stride), (0, 0), (4, 8), (1, 0))
        acc += tl.load(p, boundary_check=(0, 1))
    tl.store(out + rows * 8 + tl.arange(0, 8), acc)
)");
  const std::vector<float> a = counted(200), b = counted(32);
  Tensor out = zeros<float>({4, 8});
  for (bool fromB : {false, true}) {
    k[1](tensor(a), tensor(b), out, int64_t(20), 2, "STEPS"_a = 3, "FROM_B"_a = fromB);
    const std::vector<float> got = out.toVector<float>();
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 8; ++column) {
        float expected = fromB ? b[row * 8 + column] : 0;
        for (int i = 0; i < 3; ++i)
          expected += a[row * 20 + column * 2 + i];
        EXPECT_EQ(got[row * 8 + column], expected) << fromB << ": " << row << ", " << column;
      }
  }
}

TEST_P(Descriptors, BlockPointersCheckWhatTheyAreTold) {
  // A matrix multiplication in the block pointers' form; sizes are no multiples of the blocks.
  Kernel k = kernelOf(R"(
@triton.jit
def k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pa = tl.make_block_ptr(base=a, shape=(M, K), strides=(K, 1), offsets=(tl.program_id(0) * BM, 0), block_shape=(BM, BK), order=(1, 0))
    pb = tl.make_block_ptr(base=b, shape=(K, N), strides=(N, 1), offsets=(0, tl.program_id(1) * BN), block_shape=(BK, BN), order=(1, 0))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        x = tl.load(pa, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(pb, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, y, acc, input_precision="ieee")
        pa = tl.advance(pa, (0, BK))
        pb = tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(c, (M, N), (N, 1), (tl.program_id(0) * BM, tl.program_id(1) * BN), (BM, BN), (1, 0))
    tl.store(pc, acc.to(pc.dtype.element_ty), boundary_check=(0, 1))
)");
  constexpr int M = 21, N = 19, K = 37;
  std::vector<float> a = spreadAs<float>(M * K, -1, 1, 1), b = spreadAs<float>(K * N, -1, 1, 2);
  Tensor c = zeros<float>({M, N});
  k[{2, 2}](tensor(a), tensor(b), c, M, N, K, "BM"_a = 16, "BN"_a = 16, "BK"_a = 16);
  std::vector<float> got = c.toVector<float>();
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int i = 0; i < K; ++i)
        sum += double(a[m * K + i]) * double(b[i * N + n]);
      EXPECT_NEAR(got[m * N + n], sum, 1e-5) << m << ", " << n;
    }
}

TEST_P(Descriptors, OfTheHostAreArguments) {
  Kernel k = kernelOf(R"(
@triton.jit
def k(x, y, SCALE: tl.constexpr):
    rows = tl.program_id(0) * x.block_shape[0]
    y.store([rows, 0], x.load([rows, 4]) * SCALE + x.shape[0] + x.strides[0])
)");
  Tensor x = tensor(counted(5 * 16), {5, 16}), y = zeros<float>({5, 8});
  k[3](Descriptor(x, {2, 8}), Descriptor(y, {2, 8}), 2);
  std::vector<float> got = y.toVector<float>();
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 8; ++c)
      EXPECT_EQ(got[r * 8 + c], float(r * 16 + c + 4) * 2 + 5 + 16) << r << ", " << c;
  EXPECT_EQ(k.compileCount(), 1u);
  k[3](Descriptor(x, {4, 8}), Descriptor(y, {4, 8}), 2); // another block is another compile
  EXPECT_EQ(k.compileCount(), 2u);
  Tensor odd = zeros<float>({5, 6});
  EXPECT_NE(
      messageOf<LaunchError>([&] {
        k[1](Descriptor(odd, {2, 4}), Descriptor(y, {2, 8}), 2);
      }).find("argument 'x' is a tensor descriptor whose stride 0 is 6 elements, which is no multiple of 16 bytes"),
      std::string::npos);
}

TILEWISE_ON_HOST(Descriptors);

} // namespace
} // namespace tilewise::test
