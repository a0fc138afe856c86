// The gradient of a row softmax: dx = y * (dy - sum(y * dy)).
#include "Example.hpp"

using namespace tilewise::literals;

static bool softmaxBackward(tilewise::Device device) {
  const int rows = 45, columns = 333;
  // Any y will do: the kernel does not look whether its rows add up to 1.
  const auto y = wave(rows * columns, 0.61, 0.1), dy = wave(rows * columns, 0.29, 2);

  auto ty = tilewise::Tensor::from(y, {rows, columns}, device),
       tdy = tilewise::Tensor::from(dy, {rows, columns}, device), dx = tilewise::Tensor::like(ty);
  loadKernel("softmax_backward.py")[rows](dx, ty, tdy, ty.stride(0), columns,
                                          "BLOCK"_a = tilewise::nextPowerOf2(columns));

  std::vector<double> expected;
  for (int r = 0; r < rows; ++r) {
    double inner = 0;
    for (int i = r * columns; i < (r + 1) * columns; ++i)
      inner += double(y[i]) * dy[i];
    for (int i = r * columns; i < (r + 1) * columns; ++i)
      expected.push_back(y[i] * (dy[i] - inner));
  }
  return compare("softmax_backward", device, dx.toVector<float>(), expected, 1e-5);
}

int main(int argc, char **argv) { return runExample(argc, argv, softmaxBackward); }
