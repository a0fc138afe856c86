// Parts of a language model by the kernel library, each checked against plain C++: activations,
// dropout, the gradient of softmax, cross entropy, rotary embedding, a norm with its linear layer.
#include "Example.hpp"

#include <tilewise/ops.hpp>

#include <algorithm>

using tilewise::Tensor;
namespace ops = tilewise::ops;

using Values = std::vector<double>;

static const int rows = 6, columns = 50;

static bool activations(tilewise::Device device) {
  const std::vector<float> in = wave(rows * columns, 0.37, 3);
  const auto x = Tensor::from(in, {rows, columns}, device);
  Values relu(in.size()), leaky(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    relu[i] = std::max(in[i], 0.0f);
    leaky[i] = in[i] > 0 ? in[i] : 0.1 * in[i];
  }
  bool isGood = compare("relu", device, ops::relu(x).toVector<float>(), relu, 0);
  isGood &= compare("leakyRelu", device, ops::leakyRelu(x, 0.1).toVector<float>(), leaky, 1e-6);

  // About a quarter is dropped, what stays grows by a third, and a seed decides alike each time.
  const std::vector<float> some = ops::dropout(x, 0.25, 7).toVector<float>();
  Values kept(in.size());
  size_t dropped = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    kept[i] = some[i] == 0 ? 0 : in[i] / 0.75;
    dropped += some[i] == 0;
  }
  isGood &= compare("dropout", device, ops::dropout(x, 0.25, 7).toVector<float>(), kept, 1e-5);
  isGood &= dropped > in.size() / 8 && dropped < in.size() / 2;
  isGood &= ops::dropout(x, 0.25, 8).toVector<float>() != some;
  return isGood;
}

static bool losses(tilewise::Device device) {
  const std::vector<float> in = wave(rows * columns, 0.37, 4), up = wave(rows * columns, 0.9);
  const std::vector<int> target = {0, 49, 7, -100, 20, 3};
  Values soft(in.size()), gradient(in.size()), loss(rows);
  for (int r = 0; r < rows; ++r) {
    double sum = 0, product = 0;
    for (int c = 0; c < columns; ++c)
      sum += soft[r * columns + c] = std::exp(double(in[r * columns + c]));
    for (int c = 0; c < columns; ++c)
      product += (soft[r * columns + c] /= sum) * up[r * columns + c];
    for (int c = 0; c < columns; ++c)
      gradient[r * columns + c] = soft[r * columns + c] * (up[r * columns + c] - product);
    loss[r] = target[r] < 0 ? 0 : -std::log(soft[r * columns + target[r]]);
  }
  const auto x = Tensor::from(in, {rows, columns}, device), dy = Tensor::from(up, {rows, columns}, device);
  bool isGood =
      compare("softmaxBackward", device, ops::softmaxBackward(ops::softmax(x), dy).toVector<float>(), gradient, 1e-6);
  isGood &= compare("crossEntropy", device, ops::crossEntropy(x, Tensor::from(target, {}, device)).toVector<float>(),
                    loss, 1e-5);
  return isGood;
}

static bool rotation(tilewise::Device device) {
  const int tokens = 9, heads = 3, half = 10, size = 2 * half;
  const std::vector<float> in = wave(tokens * heads * size, 0.37);
  std::vector<float> cosines(tokens * half), sines(tokens * half);
  for (int i = 0; i < tokens * half; ++i) {
    const double angle = i / half * std::pow(10000.0, -double(i % half) / half);
    cosines[i] = float(std::cos(angle));
    sines[i] = float(std::sin(angle));
  }
  const auto x = Tensor::from(in, {1, tokens, heads, size}, device);
  const auto cos = Tensor::from(cosines, {tokens, half}, device), sin = Tensor::from(sines, {tokens, half}, device);
  bool isGood = true;
  for (const bool interleaved : {false, true}) {
    Values expected(in.size());
    for (int i = 0; i < tokens * heads * half; ++i) {
      const int pair = i % half, first = i / half * size + (interleaved ? 2 * pair : pair);
      const int second = first + (interleaved ? 1 : half), angle = i / (heads * half) * half + pair;
      expected[first] = double(in[first]) * cosines[angle] - double(in[second]) * sines[angle];
      expected[second] = double(in[second]) * cosines[angle] + double(in[first]) * sines[angle];
    }
    isGood &= compare(interleaved ? "rotary, interleaved" : "rotary", device,
                      ops::rotary(x, cos, sin, interleaved).toVector<float>(), expected, 1e-6);
  }
  return isGood;
}

static bool normAndLinear(tilewise::Device device) {
  const int outputs = 30;
  const std::vector<float> in = wave(rows * columns, 0.37, 2), scale = wave(columns, 0.9), shift = wave(columns, 1.1),
                           weights = wave(outputs * columns, 0.73), add = wave(outputs, 0.5);
  Values expected(rows * outputs);
  for (int r = 0; r < rows; ++r) {
    const float *row = &in[r * columns];
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c)
      mean += double(row[c]) / columns;
    for (int c = 0; c < columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / columns;
    for (int o = 0; o < outputs; ++o) {
      double sum = add[o];
      for (int c = 0; c < columns; ++c)
        sum += ((row[c] - mean) / std::sqrt(variance + 1e-5) * scale[c] + shift[c]) * weights[o * columns + c];
      expected[r * outputs + o] = 0.5 * sum * (1 + std::erf(sum / std::sqrt(2.0)));
    }
  }
  const Tensor y = ops::normLinear(Tensor::from(in, {rows, columns}, device), Tensor::from(scale, {}, device),
                                   Tensor::from(shift, {}, device), Tensor::from(weights, {outputs, columns}, device),
                                   Tensor::from(add, {}, device), "gelu");
  return compare("normLinear with gelu", device, y.toVector<float>(), expected, 1e-4);
}

int main(int argc, char **argv) {
  return runExample(argc, argv, [](tilewise::Device device) {
    return activations(device) && losses(device) && rotation(device) && normAndLinear(device);
  });
}
