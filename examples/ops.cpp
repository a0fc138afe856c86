// The kernel library as functions: tilewise/ops.hpp, each result checked against plain C++.
#include "Example.hpp"

#include <tilewise/ops.hpp>

#include <algorithm>
#include <functional>

using tilewise::Tensor;
namespace ops = tilewise::ops;

using Values = std::vector<double>;

static Values wide(const Tensor &x) {
  const std::vector<float> values = x.toVector<float>();
  return Values(values.begin(), values.end());
}
static Values each(const Values &x, const std::function<double(double)> &function) {
  Values result(x.size());
  std::transform(x.begin(), x.end(), result.begin(), function);
  return result;
}
/// a (m x k) @ b^T (n x k)
static Values timesTransposed(const Values &a, const Values &b, int m, int n, int k) {
  Values c(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        c[i * n + j] += a[i * k + l] * b[j * k + l];
  return c;
}
static void softmaxRow(double *row, int columns) {
  const double top = *std::max_element(row, row + columns);
  double sum = 0;
  for (int c = 0; c < columns; ++c)
    sum += row[c] = std::exp(row[c] - top);
  for (int c = 0; c < columns; ++c)
    row[c] /= sum;
}
static double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
static double silu(double x) { return x / (1 + std::exp(-x)); }

static bool elementwise(tilewise::Device device) {
  const auto x = Tensor::from(wave(1003, 0.7, 3), {17, 59}, device),
             y = Tensor::from(wave(1003, 0.3), {17, 59}, device);
  const Values left = wide(x), right = wide(y);
  Values gated(left.size()), roots(left.size());
  std::vector<float> squares(left.size());
  for (size_t i = 0; i < left.size(); ++i) {
    squares[i] = float(right[i] * right[i]);
    gated[i] = silu(left[i]) * right[i];
    roots[i] = std::sqrt(left[i] * left[i] + right[i] * right[i]);
  }
  bool isGood = compare("gelu", device, ops::gelu(x).toVector<float>(), each(left, gelu), 1e-6);
  isGood &= compare("silu", device, ops::silu(x).toVector<float>(), each(left, silu), 1e-6);
  isGood &= compare("swiglu", device, ops::swiglu(x, y).toVector<float>(), gated, 1e-6);
  isGood &= compare("multiplyAddSqrt", device,
                    ops::multiplyAddSqrt(x, x, Tensor::from(squares, {17, 59}, device)).toVector<float>(), roots, 2e-6);
  return isGood;
}

static bool rows(tilewise::Device device) {
  const int count = 7, columns = 333;
  const auto x = Tensor::from(wave(count * columns, 0.37, 4), {count, columns}, device);
  const auto weight = Tensor::from(wave(columns, 0.9), {}, device), bias = Tensor::from(wave(columns, 1.1), {}, device);
  const Values in = wide(x), scale = wide(weight), shift = wide(bias);
  Values soft = in, layer = in, rms = in;
  for (int r = 0; r < count; ++r) {
    double *row = &layer[r * columns], mean = 0, variance = 0, squares = 0;
    softmaxRow(&soft[r * columns], columns);
    for (int c = 0; c < columns; ++c)
      mean += row[c] / columns, squares += row[c] * row[c] / columns;
    for (int c = 0; c < columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / columns;
    for (int c = 0; c < columns; ++c) {
      rms[r * columns + c] = row[c] / std::sqrt(squares + 1e-6) * scale[c];
      row[c] = (row[c] - mean) / std::sqrt(variance + 1e-5) * scale[c] + shift[c];
    }
  }
  bool isGood = compare("softmax", device, ops::softmax(x).toVector<float>(), soft, 1e-6);
  isGood &= compare("layerNorm", device, ops::layerNorm(x, weight, bias).toVector<float>(), layer, 1e-5);
  isGood &= compare("rmsNorm", device, ops::rmsNorm(x, weight).toVector<float>(), rms, 1e-5);
  // Every other column: the function makes a copy that its kernel can walk.
  std::vector<float> spread(2 * in.size());
  for (size_t i = 0; i < in.size(); ++i)
    spread[2 * i] = float(in[i]);
  if (device.isHost())
    isGood &= compare("softmax of a strided view", device,
                      ops::softmax(Tensor::view(spread.data(), {count, columns}, {2 * columns, 2})).toVector<float>(),
                      soft, 1e-6);
  return isGood;
}

static bool matrices(tilewise::Device device) {
  const int m = 37, n = 50, k = 70;
  const auto x = Tensor::from(wave(m * k, 0.31), {m, k}, device),
             weight = Tensor::from(wave(n * k, 0.73), {n, k}, device);
  const auto bias = Tensor::from(wave(n, 0.5), {}, device);
  Values product = timesTransposed(wide(x), wide(weight), m, n, k);
  const Values shift = wide(bias);
  for (int i = 0; i < m * n; ++i)
    product[i] += shift[i % n];
  bool isGood = compare("linear", device, ops::linear(x, weight, &bias).toVector<float>(), product, 1e-4);
  isGood &= compare("linear with gelu", device, ops::linear(x, weight, &bias, "gelu").toVector<float>(),
                    each(product, gelu), 1e-4);
  return isGood;
}

static bool attention(tilewise::Device device) {
  const int heads = 4, shared = 2, tokens = 45, size = 24;
  const auto q = Tensor::from(wave(heads * tokens * size, 0.37), {1, heads, tokens, size}, device);
  const auto k = Tensor::from(wave(shared * tokens * size, 0.73), {1, shared, tokens, size}, device);
  const auto v = Tensor::from(wave(shared * tokens * size, 1.3), {1, shared, tokens, size}, device);
  const Values queries = wide(q), keys = wide(k), values = wide(v);
  Values expected(queries.size());
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < tokens; ++i) {
      const double *key = &keys[h / 2 * tokens * size], *value = &values[h / 2 * tokens * size];
      Values weights(i + 1); // causal: tokens 0 to i
      for (int j = 0; j <= i; ++j)
        for (int d = 0; d < size; ++d)
          weights[j] += queries[(h * tokens + i) * size + d] * key[j * size + d] / std::sqrt(double(size));
      softmaxRow(weights.data(), i + 1);
      for (int j = 0; j <= i; ++j)
        for (int d = 0; d < size; ++d)
          expected[(h * tokens + i) * size + d] += weights[j] * value[j * size + d];
    }
  return compare("attention", device, ops::attention(q, k, v, true).toVector<float>(), expected, 1e-5);
}

/// What does not fit is told in the function's name, and nothing is launched.
static bool errors(tilewise::Device device) {
  try {
    ops::layerNorm(Tensor(tilewise::DType::Float32, {2, 3}, device), Tensor(tilewise::DType::Float32, {2}, device),
                   Tensor(tilewise::DType::Float32, {3}, device));
  } catch (const tilewise::LaunchError &error) {
    const bool isGood = std::string(error.what()) == "layerNorm: 'weight' must have shape [3], got [2]";
    std::printf("a weight of the wrong length: %s\n", error.what());
    return isGood;
  }
  return false;
}

int main(int argc, char **argv) {
  return runExample(argc, argv, [](tilewise::Device device) {
    return elementwise(device) && rows(device) && matrices(device) && attention(device) && errors(device);
  });
}
