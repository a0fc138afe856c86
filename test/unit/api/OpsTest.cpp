// tilewise::ops in every type, over odd shapes, on the engines for host memory, against double
// precision.
#include "tilewise/ops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

using namespace tilewise;

namespace {

using Values = std::vector<double>;

/// What one rounding to the type may lose, relative to the value; for fp32 and fp64 what sums and
/// exponentials may.
double unit(DType type) {
  switch (type) {
  case DType::Float16:
    return 0x1p-11;
  case DType::BFloat16:
    return 0x1p-8;
  case DType::Float32:
    return 0x1p-21;
  default:
    return 0x1p-46;
  }
}

Values wide(const Tensor &x) {
  const auto widened = [](const auto &values) { return Values(values.begin(), values.end()); };
  switch (x.dtype()) {
  case DType::Float16:
    return widened(x.toVector<float16>());
  case DType::BFloat16:
    return widened(x.toVector<bfloat16>());
  case DType::Float32:
    return widened(x.toVector<float>());
  default:
    return widened(x.toVector<double>());
  }
}

/// A type and an engine.
class Ops : public testing::TestWithParam<std::tuple<DType, const char *>> {
protected:
  void SetUp() override {
    // On a device that no results ship for, every size of these tests would be tuned.
    setenv("TILEWISE_TUNE", "never", 1);
    if (std::string(std::get<1>(GetParam())) == "cuda" && tw_device_count(TW_ENGINE_CUDA) == 0)
      GTEST_SKIP() << "this machine has no gpu";
  }
  void TearDown() override { unsetenv("TILEWISE_TUNE"); }
  DType type() const { return std::get<0>(GetParam()); }
  Device device() const { return Device(std::get<1>(GetParam())); }

  /// Numbers of both signs without a pattern that tiles could hide, as the type has them.
  Tensor wave(const Shape &shape, double step, double height = 1) const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
      count *= extent;
    Values values(count);
    for (std::int64_t i = 0; i < count; ++i)
      values[i] = height * std::sin(step * double(i + 1));
    return of(values, shape);
  }
  Tensor of(const Values &values, const Shape &shape) const {
    switch (type()) {
    case DType::Float16:
      return narrowed<float16>(values, shape);
    case DType::BFloat16:
      return narrowed<bfloat16>(values, shape);
    case DType::Float32:
      return narrowed<float>(values, shape);
    default:
      return Tensor::from(values, shape, device());
    }
  }

  void expectNear(const char *what, const Tensor &got, const Values &expected, double least = 1) const {
    const Values values = wide(got);
    ASSERT_EQ(values.size(), expected.size()) << what;
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_LE(std::fabs(values[i] - expected[i]), 4 * unit(type()) * (std::fabs(expected[i]) + least))
          << what << " at " << i << " of " << values.size();
  }

private:
  template <typename T> Tensor narrowed(const Values &values, const Shape &shape) const {
    std::vector<T> narrow;
    for (const double value : values)
      narrow.push_back(T(float(value)));
    return Tensor::from(narrow, shape, device());
  }
};

Values each(const Values &x, const std::function<double(double)> &function) {
  Values result(x.size());
  std::transform(x.begin(), x.end(), result.begin(), function);
  return result;
}
double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double geluByTanh(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

/// a (m x k) @ b (k x n)
Values times(const double *a, const double *b, std::int64_t m, std::int64_t n, std::int64_t k) {
  Values c(m * n);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}
Values turned(const Values &x, std::int64_t rows, std::int64_t columns) {
  Values result(x.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      result[j * rows + i] = x[i * columns + j];
  return result;
}
void softmaxRow(double *row, std::int64_t columns) {
  const double top = *std::max_element(row, row + columns);
  double sum = 0;
  for (std::int64_t c = 0; c < columns; ++c)
    sum += row[c] = std::exp(row[c] - top);
  for (std::int64_t c = 0; c < columns; ++c)
    row[c] /= sum;
}
/// Rows with mean 0 and variance 1, scaled and shifted.
Values layerNorm(Values x, const Values &scale, const Values &shift, double eps) {
  const size_t columns = scale.size();
  for (size_t first = 0; first < x.size(); first += columns) {
    double mean = 0, variance = 0;
    for (size_t c = 0; c < columns; ++c)
      mean += x[first + c] / double(columns);
    for (size_t c = 0; c < columns; ++c)
      variance += (x[first + c] - mean) * (x[first + c] - mean) / double(columns);
    for (size_t c = 0; c < columns; ++c)
      x[first + c] = (x[first + c] - mean) / std::sqrt(variance + eps) * scale[c] + shift[c];
  }
  return x;
}

/// A number that fp32 has exactly, since a kernel's float argument is fp32.
constexpr double kEps = 0x1p-17;

} // namespace

TEST_P(Ops, Elementwise) {
  for (const Shape &shape : {Shape{1}, Shape{3, 5, 41}, Shape{8193}}) {
    const Tensor x = wave(shape, 0.7, 3), y = wave(shape, 0.3);
    const Values left = wide(x), right = wide(y);
    Values gated(left.size()), roots(left.size());
    const Tensor squares = of(each(right, [](double v) { return v * v + 9; }), shape);
    const Values added = wide(squares);
    for (size_t i = 0; i < left.size(); ++i) {
      gated[i] = silu(left[i]) * right[i];
      roots[i] = std::sqrt(left[i] * right[i] + added[i]);
    }
    expectNear("relu", ops::relu(x), each(left, [](double v) { return std::max(v, 0.0); }));
    expectNear("leakyRelu", ops::leakyRelu(x, 0.125), each(left, [](double v) { return v < 0 ? 0.125 * v : v; }));
    expectNear("gelu", ops::gelu(x), each(left, gelu));
    expectNear("gelu by tanh", ops::activation(x, "gelu_tanh"), each(left, geluByTanh));
    expectNear("silu", ops::silu(x), each(left, silu));
    expectNear("swiglu", ops::swiglu(x, y), gated);
    expectNear("multiplyAddSqrt", ops::multiplyAddSqrt(x, y, squares), roots);
    const Values dropped = wide(ops::dropout(x, 0.25, 5)),
                 again = wide(ops::dropout(of(Values(left.size(), 1), shape), 0.25, 5));
    Values kept = left;
    for (size_t i = 0; i < left.size(); ++i)
      kept[i] = again[i] == 0 ? 0 : left[i] / 0.75;
    expectNear("dropout", of(dropped, shape), kept);
  }
}

TEST_P(Ops, Pictures) {
  const std::int64_t height = 19, width = 131, plane = height * width;
  const Tensor x = of(each(wide(wave({3, height, width}, 0.7)), [](double v) { return v * v; }), {3, height, width});
  const Values in = wide(x);
  const double mix[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
  Values grey(plane), sepia(3 * plane), filtered(3 * plane);
  for (std::int64_t i = 0; i < plane; ++i) {
    grey[i] = 0.299 * in[i] + 0.587 * in[plane + i] + 0.114 * in[2 * plane + i];
    for (int c = 0; c < 3; ++c)
      sepia[c * plane + i] =
          std::min(1.0, mix[c][0] * in[i] + mix[c][1] * in[plane + i] + mix[c][2] * in[2 * plane + i]);
  }
  const Tensor weights = of({1, -2, 0.5, 0, 4, 0.25}, {2, 3});
  const Values factors = wide(weights);
  for (const bool clamps : {false, true}) {
    for (std::int64_t c = 0; c < 3; ++c)
      for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = 0; j < width; ++j) {
          double sum = 0;
          for (std::int64_t dy = 0; dy < 2; ++dy)
            for (std::int64_t dx = 0; dx < 3; ++dx) {
              std::int64_t y = i + dy - 1, z = j + dx - 1;
              const bool isInside = y >= 0 && y < height && z >= 0 && z < width;
              y = std::clamp<std::int64_t>(y, 0, height - 1);
              z = std::clamp<std::int64_t>(z, 0, width - 1);
              if (isInside || clamps)
                sum += factors[dy * 3 + dx] * in[c * plane + y * width + z];
            }
          filtered[c * plane + i * width + j] = sum;
        }
    expectNear("filter2d", ops::filter2d(x, weights, clamps ? "clamp" : "zero"), filtered, 8);
  }
  // The kernels' factors are fp32.
  const double least = type() == DType::Float64 ? 0x1p22 : 1;
  expectNear("greyscale", ops::greyscale(x), grey, least);
  expectNear("sepia", ops::sepia(x), sepia, least);
}

TEST_P(Ops, Rows) {
  for (const auto &[rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 33}, {2, 9001}, {2, 17001}}) {
    const Shape shape = {rows, columns};
    const Tensor x = wave(shape, 0.37, 4), up = wave(shape, 0.9), scale = wave({columns}, 0.8),
                 shift = wave({columns}, 1.1);
    const Values in = wide(x), weights = wide(scale);
    Values soft = in, rms(in.size()), loss(rows);
    std::vector<std::int64_t> target(rows);
    for (std::int64_t r = 0; r < rows; ++r) {
      softmaxRow(&soft[r * columns], columns);
      target[r] = columns * r / (rows + 1);
      double highest = -std::numeric_limits<double>::infinity(), sum = 0, squares = 0;
      for (std::int64_t c = 0; c < columns; ++c)
        highest = std::max(highest, in[r * columns + c]);
      for (std::int64_t c = 0; c < columns; ++c) {
        sum += std::exp(in[r * columns + c] - highest);
        squares += in[r * columns + c] * in[r * columns + c] / double(columns);
      }
      loss[r] = highest + std::log(sum) - in[r * columns + target[r]];
      for (std::int64_t c = 0; c < columns; ++c)
        rms[r * columns + c] = in[r * columns + c] / std::sqrt(squares + kEps) * weights[c];
    }
    const Tensor y = ops::softmax(x);
    expectNear("softmax", y, soft, 0x1p-4);
    const Values forward = wide(y), gradient = wide(up);
    Values backward(in.size());
    for (std::int64_t r = 0; r < rows; ++r) {
      double product = 0;
      for (std::int64_t c = r * columns; c < (r + 1) * columns; ++c)
        product += forward[c] * gradient[c];
      for (std::int64_t c = r * columns; c < (r + 1) * columns; ++c)
        backward[c] = forward[c] * (gradient[c] - product);
    }
    expectNear("softmaxBackward", ops::softmaxBackward(y, up), backward, 0x1p-2);
    expectNear("rmsNorm", ops::rmsNorm(x, scale, kEps), rms);
    if (columns > 1) // One element is its own mean: all that is left is noise over eps.
      expectNear("layerNorm", ops::layerNorm(x, scale, shift, kEps), layerNorm(in, weights, wide(shift), kEps), 4);
    expectNear("crossEntropy", ops::crossEntropy(x, Tensor::from(target, {}, device())), loss, 4);
  }
}

TEST_P(Ops, Products) {
  for (const auto &[m, n, k] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 1, 1}, {33, 65, 47}, {130, 20, 301}}) {
    const Tensor x = wave({m, k}, 0.31), weight = wave({n, k}, 0.73), bias = wave({n}, 0.5);
    const Values a = wide(x), b = turned(wide(weight), n, k), add = wide(bias);
    const Values product = times(a.data(), b.data(), m, n, k);
    Values shifted = product;
    for (std::int64_t i = 0; i < m * n; ++i)
      shifted[i] += add[i % n];
    expectNear("linear", ops::linear(x, weight), product, 16);
    expectNear("linear with bias", ops::linear(x, weight, &bias), shifted, 16);
    expectNear("linear with gelu", ops::linear(x, weight, &bias, "gelu"), each(shifted, gelu), 16);
    expectNear("linear with silu", ops::linear(x, weight, &bias, "silu"), each(shifted, silu), 16);
    expectNear("linear with relu", ops::linear(x, weight, &bias, "relu"),
               each(shifted, [](double v) { return std::max(v, 0.0); }), 16);
    const Tensor right = of(b, {k, n});
    expectNear("matmul", ops::matmul(x, right), product, 16);
    expectNear("matmulSplitK", ops::matmulSplitK(x, right, 3), product, 16);
  }
}

TEST_P(Ops, BatchesAndGroups) {
  const std::int64_t batch = 3, m = 33, n = 21, k = 50;
  const Tensor left = wave({batch, m, k}, 0.31), right = wave({batch, k, n}, 0.73), one = wave({1, k, n}, 0.73);
  const Values a = wide(left), b = wide(right), shared = wide(one);
  Values batches, byOne;
  for (std::int64_t i = 0; i < batch; ++i) {
    const Values own = times(&a[i * m * k], &b[i * k * n], m, n, k),
                 first = times(&a[i * m * k], shared.data(), m, n, k);
    batches.insert(batches.end(), own.begin(), own.end());
    byOne.insert(byOne.end(), first.begin(), first.end());
  }
  expectNear("matmul of batches", ops::matmul(left, right), batches, 16);
  expectNear("matmul of batches by one", ops::matmul(left, one), byOne, 16);

  const std::vector<std::int64_t> start = {0, 10, 10, 99};
  const Tensor rows = wave({99, k}, 0.31);
  const Values in = wide(rows);
  Values grouped;
  for (size_t group = 0; group < 3; ++group) {
    const Values part = times(&in[start[group] * k], &b[group * k * n], start[group + 1] - start[group], n, k);
    grouped.insert(grouped.end(), part.begin(), part.end());
  }
  expectNear("matmulGrouped", ops::matmulGrouped(rows, right, Tensor::from(start, {}, device())), grouped, 16);
}

TEST_P(Ops, QuantisedWeights) {
  if (type() == DType::Float64)
    GTEST_SKIP() << "weights of 4 and 8 bits are multiplied by fp16, bf16 and fp32";
  const std::int64_t m = 19, n = 41, k = 96, group = 32;
  const Tensor x = wave({m, k}, 0.31);
  const Values a = wide(x);
  std::vector<std::int8_t> bytes(k * n);
  std::vector<std::uint8_t> packed(k / 2 * n);
  std::vector<float> scales(n), groupScales(k / group * n), zeros(k / group * n);
  Values of8(k * n), of4(k * n);
  for (std::int64_t i = 0; i < n; ++i)
    scales[i] = float(1 + i % 5) / 128;
  for (std::int64_t i = 0; i < k / group * n; ++i) {
    groupScales[i] = float(1 + i % 7) / 64;
    zeros[i] = float(i % 16);
  }
  for (std::int64_t row = 0; row < k; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      const std::int64_t i = row * n + column, at = row / group * n + column, nibble = (row * 7 + column * 3) % 16;
      bytes[i] = std::int8_t(i * 37 % 255 - 127);
      of8[i] = bytes[i] * double(scales[column]);
      packed[row / 2 * n + column] |= std::uint8_t(nibble << (row % 2 * 4));
      of4[i] = double(nibble - zeros[at]) * groupScales[at];
    }
  expectNear("matmulInt8",
             ops::matmulInt8(x, Tensor::from(bytes, {k, n}, device()), Tensor::from(scales, {}, device())),
             times(a.data(), of8.data(), m, n, k), 32);
  expectNear("matmulInt4",
             ops::matmulInt4(x, Tensor::from(packed, {k / 2, n}, device()),
                             Tensor::from(groupScales, {k / group, n}, device()),
                             Tensor::from(zeros, {k / group, n}, device()), group),
             times(a.data(), of4.data(), m, n, k), 32);
}

TEST_P(Ops, PartsOfATransformer) {
  const std::int64_t rows = 37, columns = 100, outputs = 70;
  const Tensor x = wave({rows, columns}, 0.37, 2), scale = wave({columns}, 0.9), shift = wave({columns}, 1.1);
  const Tensor weight = wave({outputs, columns}, 0.73), bias = wave({outputs}, 0.5);
  const Values inner = layerNorm(wide(x), wide(scale), wide(shift), kEps), add = wide(bias);
  Values product = times(inner.data(), turned(wide(weight), outputs, columns).data(), rows, outputs, columns);
  for (std::int64_t i = 0; i < rows * outputs; ++i)
    product[i] += add[i % outputs];
  expectNear("normLinear", ops::normLinear(x, scale, shift, weight, bias, "gelu", 0, 0, kEps), each(product, gelu), 16);

  const std::int64_t tokens = 5, heads = 3, half = 10, size = 2 * half;
  const Tensor in = wave({2, tokens, heads, size}, 0.37), cos = wave({tokens, half}, 0.2),
               sin = wave({tokens, half}, 0.6);
  const Values from = wide(in), cosines = wide(cos), sines = wide(sin);
  for (const bool interleaved : {false, true}) {
    Values expected(from.size());
    for (std::int64_t i = 0; i < 2 * tokens * heads * half; ++i) {
      const std::int64_t pair = i % half, first = i / half * size + (interleaved ? 2 * pair : pair);
      const std::int64_t second = first + (interleaved ? 1 : half), angle = i / (heads * half) % tokens * half + pair;
      expected[first] = from[first] * cosines[angle] - from[second] * sines[angle];
      expected[second] = from[second] * cosines[angle] + from[first] * sines[angle];
    }
    expectNear("rotary", ops::rotary(in, cos, sin, interleaved), expected);
  }
}

TEST_P(Ops, Attention) {
  struct Sizes {
    std::int64_t heads, shared, queries, keys, size;
  };
  for (const Sizes &s : {Sizes{2, 2, 5, 5, 8}, Sizes{4, 2, 33, 47, 40}, Sizes{1, 1, 20, 20, 256}, Sizes{3, 1, 1, 9, 1}})
    for (const bool causal : {false, true}) {
      const Tensor q = wave({1, s.heads, s.queries, s.size}, 0.37), k = wave({1, s.shared, s.keys, s.size}, 0.73),
                   v = wave({1, s.shared, s.keys, s.size}, 1.3);
      const Values queries = wide(q), keys = wide(k), values = wide(v);
      Values expected(queries.size());
      for (std::int64_t h = 0; h < s.heads; ++h)
        for (std::int64_t i = 0; i < s.queries; ++i) {
          const std::int64_t shared = h / (s.heads / s.shared) * s.keys,
                             seen = causal ? std::min(i + 1, s.keys) : s.keys;
          Values weights(seen);
          for (std::int64_t j = 0; j < seen; ++j)
            for (std::int64_t d = 0; d < s.size; ++d)
              weights[j] += 0.125 * queries[(h * s.queries + i) * s.size + d] * keys[(shared + j) * s.size + d];
          softmaxRow(weights.data(), seen);
          for (std::int64_t j = 0; j < seen; ++j)
            for (std::int64_t d = 0; d < s.size; ++d)
              expected[(h * s.queries + i) * s.size + d] += weights[j] * values[(shared + j) * s.size + d];
        }
      expectNear("attention", ops::attention(q, k, v, causal, 0.125), expected, 2);
    }
}

/// What a call throws.
static std::string refusal(const std::function<void()> &call) {
  try {
    call();
  } catch (const LaunchError &error) {
    return error.what();
  }
  return "nothing";
}

TEST(OpsOfBytes, FiltersAndProducts) {
  // Bytes are rounded and saturate; the anchor is the second of two weights.
  const std::vector<std::uint8_t> pixels = {0, 255, 255, 0, 255, 255};
  const auto picture = Tensor::from(pixels, {2, 3});
  const auto weights = Tensor::from(std::vector<float>{-1, 2}, {1, 2});
  EXPECT_EQ(ops::filter2d(picture, weights, "zero", std::array<std::int64_t, 2>{0, 1}).toVector<std::uint8_t>(),
            (std::vector<std::uint8_t>{0, 255, 255, 0, 255, 255}));
  EXPECT_EQ(ops::filter2d(picture, weights, "clamp", std::array<std::int64_t, 2>{0, 0}).toVector<std::uint8_t>(),
            (std::vector<std::uint8_t>{255, 255, 255, 255, 255, 255}));

  const std::int64_t m = 19, n = 41, k = 101;
  std::vector<std::int8_t> a(m * k), b(k * n);
  for (std::int64_t i = 0; i < m * k; ++i)
    a[i] = std::int8_t(i * 29 % 255 - 127);
  for (std::int64_t i = 0; i < k * n; ++i)
    b[i] = std::int8_t(i * 37 % 255 - 127);
  std::vector<float> rows(m), columns(n);
  for (std::int64_t i = 0; i < m; ++i)
    rows[i] = float(1 + i % 5) / 128;
  for (std::int64_t i = 0; i < n; ++i)
    columns[i] = float(1 + i % 7) / 64;
  const auto rowScales = Tensor::from(rows);
  const Tensor c = ops::matmulInt8(Tensor::from(a, {m, k}), Tensor::from(b, {k, n}), Tensor::from(columns), &rowScales);
  const std::vector<float> got = c.toVector<float>();
  const Values left(a.begin(), a.end()), right(b.begin(), b.end()), exact = times(left.data(), right.data(), m, n, k);
  for (std::int64_t i = 0; i < m * n; ++i)
    ASSERT_NEAR(got[i], exact[i] * rows[i / n] * columns[i % n], 1e-6 * std::fabs(got[i])) << i;
}

TEST(OpsRefuse, WordsAndTypesThatTheyDoNotKnow) {
  const Tensor x(DType::Float32, {4, 4}), wide(DType::Float64, {4, 4}), bytes(DType::Int8, {4, 4}),
      scale(DType::Float32, {4});
  EXPECT_EQ(refusal([&] { ops::activation(x, "swish"); }),
            "activation: 'kind' is one of relu, leaky_relu, gelu, gelu_tanh, silu; got 'swish'");
  EXPECT_EQ(refusal([&] { ops::linear(x, x, nullptr, "tanh"); }),
            "linear: 'activation' is one of none, relu, leaky_relu, gelu, silu; got 'tanh'");
  EXPECT_EQ(refusal([&] { ops::filter2d(x, x, "wrap"); }), "filter2d: 'border' is one of zero, clamp; got 'wrap'");
  EXPECT_EQ(refusal([&] { ops::normLinear(x, scale, scale, x, scale, "relu"); }),
            "normLinear: 'activation' is one of none, gelu; got 'relu'");
  EXPECT_EQ(refusal([&] { ops::matmulInt8(wide, bytes, scale); }),
            "matmulInt8: 'a' is fp64; fp16, bf16 or fp32 is needed without an aScale");
  EXPECT_EQ(refusal([&] { ops::matmulInt8(x, bytes, scale, &scale); }),
            "matmulInt8: with an aScale, a must be i8, got fp32");
  EXPECT_EQ(refusal([&] { ops::filter2d(bytes, x); }), "filter2d: 'x' is i8; u8, fp16, bf16, fp32 or fp64 is needed");
  EXPECT_EQ(refusal([&] { ops::filter2d(x, x, "zero", std::array<std::int64_t, 2>{4, 0}); }),
            "filter2d: the anchor [4, 0] is none of the weights of [4, 4]");
}

/// Sizes of a kind that no file has results for, and that no earlier run of the test has asked for.
static std::vector<std::int64_t> unknownSizes() {
  auto bits = std::uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
  std::vector<std::int64_t> sizes;
  for (; bits != 0; bits /= 32)
    sizes.push_back(std::int64_t(1) << bits % 32);
  return sizes;
}

TEST(OpsTuned, WhatNoFileHasIsTimedAtTheFirstCallOnly) {
  using namespace literals;
  if (tw_device_count(TW_ENGINE_CPU) == 0)
    GTEST_SKIP() << "this build has no CPU engine";
  const std::int64_t n = 5000;
  const Tensor x = Tensor::from(std::vector<float>(n, 2.0f));
  Tensor y = Tensor::like(x);
  const std::vector<std::int64_t> sizes = unknownSizes();
  std::atomic<int> asked = 0;
  const auto call = [&] {
    ops::inner::launchTuned("swiglu", x, sizes, [&](const Config &config, const auto &go) {
      ++asked;
      go(ops::inner::kernel("swiglu.py", "swiglu")[cdiv(n, config["BLOCK"])], x, x, y, n, "BLOCK"_a = config["BLOCK"]);
    });
  };
  call();
  EXPECT_GT(asked, 12) << "six configs are compiled and run";
  EXPECT_NEAR(y.toVector<float>()[n - 1], 4 / (1 + std::exp(-2.0)), 1e-6);
  asked = 0;
  call();
  EXPECT_EQ(asked, 1);
}

static std::string nameOf(const testing::TestParamInfo<Ops::ParamType> &info) {
  return name(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
}
static const auto floats = testing::Values(DType::Float16, DType::BFloat16, DType::Float32, DType::Float64);
INSTANTIATE_TEST_SUITE_P(OnHosts, Ops, testing::Combine(floats, testing::Values("reference", "cpu")), nameOf);
INSTANTIATE_TEST_SUITE_P(OnGpu, Ops, testing::Combine(floats, testing::Values("cuda")), nameOf);
