// Softmax of each row of a matrix, read once and written once. Usage: softmax [DEVICE]
#include "KernelFile.hpp"

#include <tilewise/tilewise.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tilewise::literals;

int main(int argc, char **argv) {
  const tilewise::Device device(argc > 1 ? argv[1] : "cpu");
  const int rows = 301, columns = 777;
  std::vector<float> x(rows * columns);
  for (int i = 0; i < rows * columns; ++i)
    x[i] = std::sin(0.37f * i) * 20;

  auto softmax = tilewise::Kernel::load(kernelFile("softmax.py"));
  auto in = tilewise::Tensor::from(x, {rows, columns}, device), out = tilewise::Tensor::like(in);
  // One program per row; a block holds the whole row, rounded up to a power of two.
  softmax[rows](out, in, out.stride(0), in.stride(0), columns, "BLOCK"_a = tilewise::nextPowerOf2(columns));

  const auto y = out.toVector<float>();
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    const float *row = &x[r * columns];
    const double top = *std::max_element(row, row + columns);
    double sum = 0;
    for (int c = 0; c < columns; ++c)
      sum += std::exp(row[c] - top);
    for (int c = 0; c < columns; ++c) {
      const double expected = std::exp(row[c] - top) / sum;
      worst = std::max(worst, std::fabs(y[r * columns + c] - expected) / expected);
    }
  }
  std::printf("softmax on %s: %d rows of %d, relative error at most %.1e\n", device.text().c_str(), rows, columns,
              worst);
  return worst < 1e-5 ? 0 : 1;
}
