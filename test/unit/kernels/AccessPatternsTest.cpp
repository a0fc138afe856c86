// test/access/taught_kernels.py: what the compiling engines make of addresses and masks of all
// kinds, bit for bit with the reference engine, which takes them as they are written; a few against
// plain C++.
#include "kernels/KernelTest.h"

using namespace tilewise;
using namespace tilewise::test;
using namespace tilewise::literals;

namespace {

class AccessPatterns : public KernelTest {
protected:
  static Kernel pattern(const char *name) { return Kernel::load(rootPath("test/access/taught_kernels.py"), name); }

  /// Runs `launch` with an output of `count` elements on this engine and on the reference engine;
  /// both must write the same.
  template <typename Launch> std::vector<float> agree(const std::string &what, int count, Launch launch) {
    auto run = [&](Device device) {
      auto out = Tensor::from(std::vector<float>(count, -7.0f), {count}, device);
      launch(device, out);
      return out.toVector<float>();
    };
    const auto got = run(device());
    EXPECT_NE(got, std::vector<float>(count, -7.0f)) << what << " wrote nothing";
    expectBits(what, "reference", got, run(Device("reference")));
    return got;
  }

  static Tensor input(int count, Device device) {
    return Tensor::from(noise<float>(count, -2, 2, 11), {count}, device);
  }
};

TEST_P(AccessPatterns, WhilePointers) {
  for (int n : {0, 1, 127, 128, 300}) {
    const auto x = noise<float>(3 * n + 1, -2, 2, 11);
    const auto got = agree("while" + std::to_string(n), 3 * 128, [&](Device device, Tensor &out) {
      pattern("while_pointers")[3](Tensor::from(x, {3 * n + 1}, device), out, n, 0.5f, "BLOCK"_a = 128);
    });
    for (int i = 0; i < 3 * 128; ++i) {
      float sum = 0;
      for (int at = i % 128; at < n; at += 128)
        sum += x[i / 128 * n + at];
      ASSERT_EQ(got[i], sum * 0.5f) << n << " " << i;
    }
  }
}

TEST_P(AccessPatterns, ChosenPointers) {
  for (int n : {5, 64, 100, 200})
    for (int which : {-1, 0, 1, 2})
      agree("chosen" + std::to_string(n), n, [&](Device device, Tensor &out) {
        pattern("chosen_pointers")[cdiv(n, 64)](
            input(300, device), Tensor::from(noise<float>(300, 3, 5, 7), {300}, device), out, n, which, "BLOCK"_a = 64);
      });
}

TEST_P(AccessPatterns, Masks) {
  const auto x = noise<float>(300, -2, 2, 11);
  for (int n : {1, 5, 63, 64, 65, 99})
    for (int low : {-3, 0, 1, 6, 31, 70}) {
      const auto got = agree("masks" + std::to_string(n), n, [&](Device device, Tensor &out) {
        pattern("masks_of_all_kinds")[cdiv(n, 64)](Tensor::from(x, {300}, device), out, n, low, low, "BLOCK"_a = 64);
      });
      for (int at = 0; at < n; ++at) {
        const int i = at % 64;
        const double even = 2 * at + 1 < n ? x[2 * i] : 1, third = 3 * i >= low && n > 3 * i + 1 ? x[i] : 2,
                     one = i == low ? x[i] : 3, inside = i < n && i >= low ? x[i] : 4,
                     chosen = i < low || at > n ? x[i] : 5, whole = i < n && low > 0 ? x[i] : 6,
                     either = i < low || n - 3 > i ? x[i] : 7;
        ASSERT_NEAR(got[at], even + 10 * third + 100 * one + 1000 * inside + 0.1 * chosen + 0.01 * whole - 10 * either,
                    1e-3)
            << "n " << n << " low " << low << " at " << at;
      }
    }
}

TEST_P(AccessPatterns, ClampedRows) {
  for (int rows : {1, 7, 16, 33})
    for (int columns : {1, 30, 32}) {
      // Small whole numbers: sums are exact in any order.
      std::vector<float> x;
      for (int i = 0; i < rows * columns; ++i)
        x.push_back(float(i * 7 % 5 - 2));
      auto sums = [&](Device device) { return Tensor::from(std::vector<float>(rows, -7.0f), {rows}, device); };
      std::vector<float> totals[2];
      agree("clamped" + std::to_string(rows), rows * columns, [&](Device device, Tensor &out) {
        Tensor total = sums(device);
        pattern("clamped_rows")[cdiv(rows, 16)](Tensor::from(x, {rows * columns}, device), out, total, rows, columns,
                                                "BLOCK_M"_a = 16, "BLOCK_N"_a = 32);
        totals[device == Device("reference")] = total.toVector<float>();
      });
      if (!isReference())
        for (int r = 0; r < rows; ++r)
          ASSERT_EQ(totals[0][r], totals[1][r]) << "row " << r;
    }
}

TEST_P(AccessPatterns, DemandedWrap) {
  for (int n : {1, 5, 48, 64, 100}) {
    const auto x = noise<float>(n, -2, 2, 11);
    const auto got = agree("wrap" + std::to_string(n), 64, [&](Device device, Tensor &out) {
      Tensor total(DType::Float32, {1}, device);
      pattern("demanded_wrap")[1](Tensor::from(x, {n}, device), out, total, n, "BLOCK"_a = 64);
    });
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(got[i], x[i % n]);
  }
}

TEST_P(AccessPatterns, Matmul) {
  // Small whole numbers: sums are exact in any order, also in half precision of the result.
  const int m = 37, n = 29, k = 45;
  std::vector<float16> a, b;
  for (int i = 0; i < m * k; ++i)
    a.emplace_back(float(i * 7 % 5 - 2));
  for (int i = 0; i < k * n; ++i)
    b.emplace_back(float(i * 11 % 7 - 3));
  Tensor da = Tensor::from(a, {m, k}, device()), db = Tensor::from(b, {k, n}, device());
  for (std::string name : {"matmul_recomputed", "matmul_block_pointers", "matmul_wrapped"}) {
    const bool isWrapped = name == "matmul_wrapped";
    Tensor dc(DType::Float16, {m, n}, device());
    if (isWrapped)
      pattern("matmul_wrapped")[cdiv(m, 16) * cdiv(n, 16)](da, db, dc, m, n, k, k, 1, n, 1, n, 1, "BLOCK_M"_a = 16,
                                                           "BLOCK_N"_a = 16, "BLOCK_K"_a = 32, "GROUP_M"_a = 2);
    else
      pattern(name.c_str())[{cdiv(m, 16), cdiv(n, 16)}](da, db, dc, m, n, k, k, 1, n, 1, n, 1, "BLOCK_M"_a = 16,
                                                        "BLOCK_N"_a = 16, "BLOCK_K"_a = 32);
    const auto got = dc.toVector<float16>();
    for (int i = 0; i < m * n; ++i) {
      float sum = 0;
      for (int j = 0; j < k; ++j)
        sum += float(a[i / n * k + j]) * float(b[j * n + i % n]);
      const float expected = isWrapped && sum < 0 ? float(float16(0.01f * sum)) : sum;
      ASSERT_EQ(float(got[i]), expected) << name << " " << i;
    }
  }
}

TEST_P(AccessPatterns, Descriptors) {
  const int rows = 37, columns = 52;
  const auto x = noise<float>(rows * columns, -2, 2, 11);
  for (int shift : {-5, 0, 3}) {
    const auto got = agree("descriptor" + std::to_string(shift), rows * columns, [&](Device device, Tensor &out) {
      pattern("descriptor_copy")[{cdiv(rows, 16), cdiv(columns, 32)}](
          Tensor::from(x, {rows * columns}, device), out, rows, columns, shift, "BLOCK_M"_a = 16, "BLOCK_N"_a = 32);
    });
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const int from = r - shift, at = c + shift;
        const bool isInside = from >= 0 && from < rows && at >= 0 && at < columns;
        ASSERT_EQ(got[r * columns + c], (isInside ? x[from * columns + at] : 0) + 1) << shift << " " << r << " " << c;
      }
  }
}

TEST_P(AccessPatterns, Cube) {
  if (!device().isHost())
    GTEST_SKIP() << "the NVIDIA engine does not permute yet";
  const int depth = 3, height = 21, width = 13, count = depth * height * width;
  const auto x = noise<float>(count, -2, 2, 11);
  const auto got = agree("cube", count, [&](Device device, Tensor &out) {
    pattern("transposed_cube")[cdiv(height, 8)](Tensor::from(x, {count}, device), out, depth, height, width, "D"_a = 4,
                                                "H"_a = 8, "W"_a = 16);
  });
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int at = 0; at < width; ++at)
        ASSERT_EQ(got[(at * height + y) * depth + z], x[(z * height + y) * width + at]);
}

TEST_P(AccessPatterns, Reshaped) {
  if (!device().isHost())
    GTEST_SKIP() << "the NVIDIA engine does not reshape yet";
  const int n = 300;
  const auto x = noise<float>(384, -2, 2, 11);
  const auto got = agree("reshaped", n, [&](Device device, Tensor &out) {
    pattern("reshaped_offsets")[cdiv(n, 128)](Tensor::from(x, {384}, device), out, n, "ROWS"_a = 8, "COLUMNS"_a = 16);
  });
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(got[i], x[i] + 1);
}

TEST_P(AccessPatterns, ConvolutionWithAllBounds) {
  const int planes = 2, height = 19, width = 37, count = planes * height * width;
  const auto x = noise<float>(count, -2, 2, 11), taps = noise<float>(9, -1, 1, 5);
  agree("convolution", count, [&](Device device, Tensor &out) {
    pattern("convolve_checked")[{planes, cdiv(height, 8), cdiv(width, 16)}](
        Tensor::from(x, {count}, device), out, Tensor::from(taps, {9}, device), height, width, "size"_a = 3,
        "BLOCK_H"_a = 8, "BLOCK_W"_a = 16);
  });
}

TEST_P(AccessPatterns, TwoStores) {
  const int block = 64, count = 3 * 4 * block;
  const auto x = noise<float>(count, -2, 2, 11);
  for (int apart : {0, 1, 16, 63, 64, 100})
    for (bool isInPlace : {false, true}) {
      const auto got = agree("stores" + std::to_string(apart), count, [&](Device device, Tensor &out) {
        auto in = Tensor::from(x, {count}, device);
        if (isInPlace)
          pattern("scale_and_shift")[cdiv(count, 64)](in, out, count, "BLOCK_SIZE"_a = 64);
        pattern("two_stores")[3](isInPlace ? out : in, out, apart, "BLOCK"_a = block);
      });
      if (isInPlace)
        continue;
      std::vector<float> expected(count, -7.0f);
      for (int program = 0; program < 3; ++program) {
        const int first = program * 4 * block;
        for (int i = 0; i < block; ++i)
          expected[first + i] = x[first + i] + 1;
        for (int i = 0; i < block; ++i)
          expected[first + i + apart] = x[first + i] * 2;
      }
      ASSERT_EQ(got, expected) << apart;
    }
}

TEST_P(AccessPatterns, GatheredRows) {
  const int n = 21, columns = 13, rows = 9;
  std::vector<int> index;
  for (int i = 0; i < n; ++i)
    index.push_back(i * 5 % rows);
  const auto table = noise<float>(rows * columns, -2, 2, 11);
  const auto got = agree("gather", n * columns, [&](Device device, Tensor &out) {
    pattern("gather_rows")[cdiv(n, 16)](Tensor::from(table, {rows * columns}, device), Tensor::from(index, {n}, device),
                                        out, n, columns, "BLOCK"_a = 16);
  });
  for (int i = 0; i < n * columns; ++i)
    ASSERT_EQ(got[i], table[index[i / columns] * columns + i % columns]);
}

TILEWISE_ON_EVERY_ENGINE(AccessPatterns, DType::Float32);

} // namespace
