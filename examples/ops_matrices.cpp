// The matrix products of the kernel library, each checked against plain C++: batches, groups of
// rows, a long K in parts, weights of 8 and of 4 bits.
#include "Example.hpp"

#include <tilewise/ops.hpp>

using tilewise::Tensor;
namespace ops = tilewise::ops;

using Values = std::vector<double>;

/// a (m x k) @ b (k x n)
static Values times(const double *a, const double *b, int m, int n, int k) {
  Values c(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}
static Values wide(const std::vector<float> &values) { return Values(values.begin(), values.end()); }

static bool products(tilewise::Device device) {
  const int batch = 3, m = 33, n = 21, k = 150;
  const auto left = wave(batch * m * k, 0.31), right = wave(batch * k * n, 0.73);
  const Values a = wide(left), b = wide(right);
  Values batches, shared;
  for (int i = 0; i < batch; ++i) {
    const Values own = times(&a[i * m * k], &b[i * k * n], m, n, k), first = times(&a[i * m * k], b.data(), m, n, k);
    batches.insert(batches.end(), own.begin(), own.end());
    shared.insert(shared.end(), first.begin(), first.end());
  }
  const auto lefts = Tensor::from(left, {batch, m, k}, device), rights = Tensor::from(right, {batch, k, n}, device);
  const auto x = Tensor::from(std::vector<float>(left.begin(), left.begin() + m * k), {m, k}, device);
  const auto y = Tensor::from(std::vector<float>(right.begin(), right.begin() + k * n), {k, n}, device);
  const auto one = Tensor::from(std::vector<float>(right.begin(), right.begin() + k * n), {1, k, n}, device);
  const Values plain(batches.begin(), batches.begin() + m * n);
  bool isGood = compare("matmul", device, ops::matmul(x, y).toVector<float>(), plain, 1e-4);
  isGood &= compare("matmul of batches", device, ops::matmul(lefts, rights).toVector<float>(), batches, 1e-4);
  isGood &= compare("matmul of batches by one", device, ops::matmul(lefts, one).toVector<float>(), shared, 1e-4);
  isGood &= compare("matmulSplitK", device, ops::matmulSplitK(x, y, 4).toVector<float>(), plain, 1e-4);
  return isGood;
}

static bool groups(tilewise::Device device) {
  const int rows = 80, n = 30, k = 40;
  const std::vector<int> start = {0, 10, 10, 75, 80};
  const auto left = wave(rows * k, 0.31), right = wave(4 * k * n, 0.73);
  const Values a = wide(left), b = wide(right);
  Values expected;
  for (int group = 0; group < 4; ++group) {
    const Values part = times(&a[start[group] * k], &b[group * k * n], start[group + 1] - start[group], n, k);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  const Tensor c = ops::matmulGrouped(Tensor::from(left, {rows, k}, device), Tensor::from(right, {4, k, n}, device),
                                      Tensor::from(start, {}, device));
  return compare("matmulGrouped", device, c.toVector<float>(), expected, 1e-4);
}

static bool quantised(tilewise::Device device) {
  const int m = 20, n = 24, k = 96, group = 32;
  const auto left = wave(m * k, 0.31), scales = wave(n, 0.2, 0.5f);
  const Values a = wide(left);
  std::vector<int8_t> bytes(k * n);
  Values weights(k * n);
  for (int i = 0; i < k * n; ++i) {
    bytes[i] = int8_t(i * 37 % 255 - 127);
    weights[i] = bytes[i] * double(scales[i % n]);
  }
  const auto x = Tensor::from(left, {m, k}, device);
  const Tensor of8 = ops::matmulInt8(x, Tensor::from(bytes, {k, n}, device), Tensor::from(scales, {}, device));
  bool isGood = compare("matmulInt8", device, of8.toVector<float>(), times(a.data(), weights.data(), m, n, k), 2e-3);

  std::vector<uint8_t> packed(k / 2 * n);
  std::vector<float> groupScales(k / group * n), zeros(k / group * n);
  for (int i = 0; i < k / group * n; ++i) {
    groupScales[i] = 0.01f * float(1 + i % 7);
    zeros[i] = float(i % 16);
  }
  for (int row = 0; row < k; ++row)
    for (int column = 0; column < n; ++column) {
      const int nibble = (row * 7 + column * 3) % 16, at = row / group * n + column;
      packed[row / 2 * n + column] |= uint8_t(nibble << (row % 2 * 4));
      weights[row * n + column] = (nibble - zeros[at]) * double(groupScales[at]);
    }
  const tilewise::Shape shape = {k / group, n};
  const Tensor of4 =
      ops::matmulInt4(x, Tensor::from(packed, {k / 2, n}, device), Tensor::from(groupScales, shape, device),
                      Tensor::from(zeros, shape, device), group);
  isGood &= compare("matmulInt4", device, of4.toVector<float>(), times(a.data(), weights.data(), m, n, k), 1e-4);
  return isGood;
}

/// What does not fit is told in the function's name.
static bool errors(tilewise::Device device) {
  try {
    ops::matmulGrouped(Tensor(tilewise::DType::Float32, {8, 4}, device),
                       Tensor(tilewise::DType::Float32, {2, 4, 4}, device),
                       Tensor(tilewise::DType::Int32, {2}, device));
  } catch (const tilewise::LaunchError &error) {
    std::printf("too few groups: %s\n", error.what());
    return std::string(error.what()) == "matmulGrouped: 'start' must have shape [3], got [2]";
  }
  return false;
}

int main(int argc, char **argv) {
  return runExample(argc, argv, [](tilewise::Device device) {
    return products(device) && groups(device) && quantised(device) && errors(device);
  });
}
