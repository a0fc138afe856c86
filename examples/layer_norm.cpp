// Layer normalisation of each row: mean 0 and variance 1, then a weight and a bias per column.
#include "Example.hpp"

using namespace tilewise::literals;

static bool layerNorm(tilewise::Device device) {
  const int rows = 57, columns = 501;
  const float eps = 1e-5f;
  const auto x = wave(rows * columns, 0.83, 3), weight = wave(columns, 0.19), bias = wave(columns, 0.41);

  auto tx = tilewise::Tensor::from(x, {rows, columns}, device), tw = tilewise::Tensor::from(weight, {columns}, device),
       tb = tilewise::Tensor::from(bias, {columns}, device), ty = tilewise::Tensor::like(tx);
  loadKernel("layer_norm.py", "layer_norm")[rows](tx, ty, tw, tb, tx.stride(0), columns, eps,
                                                  "BLOCK"_a = tilewise::nextPowerOf2(columns));

  std::vector<double> expected;
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[r * columns];
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c)
      mean += row[c] / double(columns);
    for (int c = 0; c < columns; ++c)
      variance += (row[c] - mean) * (row[c] - mean) / columns;
    for (int c = 0; c < columns; ++c)
      expected.push_back((row[c] - mean) / std::sqrt(variance + eps) * weight[c] + bias[c]);
  }
  return compare("layer_norm", device, ty.toVector<float>(), expected, 1e-5);
}

int main(int argc, char **argv) { return runExample(argc, argv, layerNorm); }
