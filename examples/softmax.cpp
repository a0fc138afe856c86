// Softmax of each row of a matrix, read once and written once.
#include "Example.hpp"

#include <algorithm>

using namespace tilewise::literals;

static bool softmax(tilewise::Device device) {
  const int rows = 301, columns = 777;
  const auto x = wave(rows * columns, 0.37, 20);

  auto in = tilewise::Tensor::from(x, {rows, columns}, device), out = tilewise::Tensor::like(in);
  // One program per row; a block holds the whole row, rounded up to a power of two.
  loadKernel("softmax.py")[rows](out, in, out.stride(0), in.stride(0), columns,
                                 "BLOCK"_a = tilewise::nextPowerOf2(columns));

  std::vector<double> expected;
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[r * columns];
    const double top = *std::max_element(row, row + columns);
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += std::exp(row[c] - top);
    for (int c = 0; c < columns; ++c)
      expected.push_back(std::exp(row[c] - top) / sum);
  }
  return compare("softmax", device, out.toVector<float>(), expected, 1e-6);
}

int main(int argc, char **argv) { return runExample(argc, argv, softmax); }
