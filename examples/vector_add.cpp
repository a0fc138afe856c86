// z = x + y for a million floats: load a kernel file, make tensors, launch, read back.
#include "Example.hpp"

using namespace tilewise::literals;

static bool vectorAdd(tilewise::Device device) {
  const int n = 1'000'003, block = 1024;
  const auto x = wave(n, 0.5, 100), y = wave(n, 0.3);

  auto add = loadKernel("vector_add.py");
  auto dx = tilewise::Tensor::from(x, {n}, device), dy = tilewise::Tensor::from(y, {n}, device),
       dz = tilewise::Tensor::like(dx);
  add[tilewise::cdiv(n, block)](dx, dy, dz, n, "BLOCK"_a = block);

  // One addition rounds as C++'s does: the same bits.
  std::vector<float> sums(n);
  for (int i = 0; i < n; ++i)
    sums[i] = x[i] + y[i];
  return compare("vector_add", device, dz.toVector<float>(), sums, 0);
}

int main(int argc, char **argv) { return runExample(argc, argv, vectorAdd); }
