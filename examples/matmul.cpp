// C = A B in tiles, for sizes that no tile divides.
#include "Example.hpp"

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::Tensor;

static bool matmul(tilewise::Device device) {
  const int m = 123, n = 157, k = 201;
  const auto a = wave(m * k, 0.1), b = wave(k * n, 0.07);

  auto da = Tensor::from(a, {m, k}, device), db = Tensor::from(b, {k, n}, device);
  Tensor dc(tilewise::DType::Float32, {m, n}, device);
  loadKernel("matmul.py")[{cdiv(m, 32), cdiv(n, 32)}](da, db, dc, m, n, k, da.stride(0), da.stride(1), db.stride(0),
                                                      db.stride(1), dc.stride(0), dc.stride(1), "BLOCK_M"_a = 32,
                                                      "BLOCK_N"_a = 32, "BLOCK_K"_a = 32);

  std::vector<double> expected;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum += double(a[row * k + i]) * b[i * n + column];
      expected.push_back(sum);
    }
  // A sum of k products below 1 rounds at most k times, each by half an epsilon of at most k.
  return compare("matmul", device, dc.toVector<float>(), expected, double(k) * k * 0x1p-24);
}

int main(int argc, char **argv) { return runExample(argc, argv, matmul); }
