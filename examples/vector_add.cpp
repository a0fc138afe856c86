// z = x + y for a million floats: load a kernel file, make tensors, launch, read back. Usage: vector_add [DEVICE]
#include "KernelFile.hpp"

#include <tilewise/tilewise.hpp>

#include <cstdio>

using namespace tilewise::literals;

int main(int argc, char **argv) {
  const tilewise::Device device(argc > 1 ? argv[1] : "cpu");
  const int n = 1'000'003, block = 1024;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.5f * i;
    y[i] = 1.0f / (1 + i);
  }

  auto add = tilewise::Kernel::load(kernelFile("vector_add.py"));
  auto dx = tilewise::Tensor::from(x, {n}, device), dy = tilewise::Tensor::from(y, {n}, device),
       dz = tilewise::Tensor::like(dx);
  add[tilewise::cdiv(n, block)](dx, dy, dz, n, "BLOCK"_a = block);

  const auto z = dz.toVector<float>();
  for (int i = 0; i < n; ++i)
    if (z[i] != x[i] + y[i]) {
      std::printf("z[%d] is %g, expected %g\n", i, z[i], x[i] + y[i]);
      return 1;
    }
  std::printf("vector_add on %s: %d sums, each equal to C++'s\n", device.text().c_str(), n);
}
