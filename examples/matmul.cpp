// C = A B in tiles, for sizes that no tile divides. Usage: matmul [DEVICE]
#include "KernelFile.hpp"

#include <tilewise/tilewise.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tilewise::literals;

int main(int argc, char **argv) {
  const tilewise::Device device(argc > 1 ? argv[1] : "cpu");
  const int m = 123, n = 157, k = 201;
  std::vector<float> a(m * k), b(k * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = std::sin(0.1f * i);
  for (int i = 0; i < k * n; ++i)
    b[i] = std::cos(0.07f * i);

  auto matmul = tilewise::Kernel::load(kernelFile("matmul.py"), "matmul");
  auto da = tilewise::Tensor::from(a, {m, k}, device), db = tilewise::Tensor::from(b, {k, n}, device);
  tilewise::Tensor dc(tilewise::DType::Float32, {m, n}, device);
  matmul[{tilewise::cdiv(m, 32), tilewise::cdiv(n, 32)}](da, db, dc, m, n, k, da.stride(0), da.stride(1), db.stride(0),
                                                         db.stride(1), dc.stride(0), dc.stride(1), "BLOCK_M"_a = 32,
                                                         "BLOCK_N"_a = 32, "BLOCK_K"_a = 32);

  // A sum of k products rounds at most k times, each by half an epsilon of the sum of magnitudes.
  const auto c = dc.toVector<float>();
  double worst = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, magnitude = 0;
      for (int i = 0; i < k; ++i) {
        const double product = double(a[row * k + i]) * b[i * n + column];
        sum += product;
        magnitude += std::fabs(product);
      }
      worst = std::max(worst, std::fabs(c[row * n + column] - sum) / (k * 0x1p-24 * magnitude));
    }
  std::printf("matmul on %s: %d x %d x %d, error at most %.2f of its bound\n", device.text().c_str(), m, n, k, worst);
  return worst <= 1 ? 0 : 1;
}
