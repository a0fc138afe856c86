// layer_norm(x) @ linear + bias in one kernel: the normalised rows never go to memory.
#include "Example.hpp"

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::Tensor;

static bool layerNormLinear(tilewise::Device device) {
  const int rows = 37, columns = 75, outputs = 53;
  const float eps = 1e-5f;
  const auto x = wave(rows * columns, 0.83, 3), scale = wave(columns, 0.19), shift = wave(columns, 0.41);
  const auto linear = wave(columns * outputs, 0.057), bias = wave(outputs, 0.9);

  auto tx = Tensor::from(x, {rows, columns}, device), tl = Tensor::from(linear, {columns, outputs}, device);
  auto ts = Tensor::from(scale, {columns}, device), tt = Tensor::from(shift, {columns}, device),
       tb = Tensor::from(bias, {outputs}, device);
  Tensor ty(tilewise::DType::Float32, {rows, outputs}, device);
  loadKernel("layer_norm.py", "layer_norm_linear")[{cdiv(rows, 16), cdiv(outputs, 32)}](
      tx, ty, ts, tt, tl, tb, rows, columns, outputs, eps, tx.stride(0), ty.stride(0), tl.stride(0), "BLOCK_M"_a = 16,
      "BLOCK_N"_a = 32, "BLOCK_K"_a = 16);

  std::vector<double> expected;
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[r * columns];
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c)
      mean += row[c] / double(columns);
    for (int c = 0; c < columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / columns;
    for (int o = 0; o < outputs; ++o) {
      double sum = bias[o];
      for (int c = 0; c < columns; ++c)
        sum += ((row[c] - mean) / std::sqrt(variance + eps) * scale[c] + shift[c]) * linear[c * outputs + o];
      expected.push_back(sum);
    }
  }
  return compare("layer_norm_linear", device, ty.toVector<float>(), expected, 1e-4);
}

int main(int argc, char **argv) { return runExample(argc, argv, layerNormLinear); }
