// Dropout by a counter-based generator: each element's random number is a function of the seed and
// its index, computed here again.
#include "Example.hpp"

#include <cstdint>

using namespace tilewise::literals;

/// Philox 4x32 with 10 rounds on the counter (index, 0, 0, 0), its first number as a float in [0,
/// 1).
static float uniform(uint64_t seed, uint32_t index) {
  uint32_t c[4] = {index, 0, 0, 0}, key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xD2511F53) * c[0], b = uint64_t(0xCD9E8D57) * c[2];
    c[0] = uint32_t(b >> 32) ^ c[1] ^ key0;
    c[1] = uint32_t(b);
    c[2] = uint32_t(a >> 32) ^ c[3] ^ key1;
    c[3] = uint32_t(a);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  const int32_t number = int32_t(c[0]);
  return float(number < 0 ? -(number + 1) : number) * 4.6566127342e-10f;
}

static bool dropout(tilewise::Device device) {
  const int n = 10'007, block = 256, seed = 123;
  const float p = 0.3f;
  const auto x = wave(n, 0.9);

  auto in = tilewise::Tensor::from(x, {n}, device), out = tilewise::Tensor::like(in);
  loadKernel("dropout.py")[tilewise::cdiv(n, block)](in, out, n, p, seed, "BLOCK"_a = block);

  std::vector<float> expected;
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    const bool isKept = uniform(seed, uint32_t(i)) > p;
    kept += isKept;
    expected.push_back(isKept ? x[i] / (1 - p) : 0);
  }
  std::printf("%.1f %% of the elements are kept\n", 100.0 * kept / n);
  // A division may round differently in its last bit.
  return compare("dropout", device, out.toVector<float>(), expected, 4e-7);
}

int main(int argc, char **argv) { return runExample(argc, argv, dropout); }
