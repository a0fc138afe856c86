// z = x: the smallest kernel, over a length that no block divides.
#include "Example.hpp"

using namespace tilewise::literals;

static bool copy(tilewise::Device device) {
  const int n = 100'003, block = 1024;
  const auto x = wave(n, 0.7);
  auto in = tilewise::Tensor::from(x, {n}, device), out = tilewise::Tensor::like(in);
  loadKernel("copy.py")[tilewise::cdiv(n, block)](in, out, n, "BLOCK"_a = block);
  return compare("copy", device, out.toVector<float>(), x, 0);
}

int main(int argc, char **argv) { return runExample(argc, argv, copy); }
