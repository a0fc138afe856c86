// C = activation(A B) with the tiles walked in groups: without an activation, with relu and with
// leaky relu; B is stored transposed.
#include "Example.hpp"

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::Tensor;

static bool matmulFused(tilewise::Device device) {
  const int m = 117, n = 95, k = 70, blockM = 32, blockN = 16;
  const auto a = wave(m * k, 0.1), b = wave(n * k, 0.07);

  auto kernel = loadKernel("matmul_fused.py", "matmul_fused");
  auto da = Tensor::from(a, {m, k}, device), db = Tensor::from(b, {n, k}, device);
  bool isGood = true;
  for (std::string activation : {"", "relu", "leaky_relu"}) {
    Tensor dc(tilewise::DType::Float32, {m, n}, device);
    // B's strides are handed over in the order k, n.
    kernel[cdiv(m, blockM) * cdiv(n, blockN)](da, db, dc, m, n, k, da.stride(0), da.stride(1), db.stride(1),
                                              db.stride(0), dc.stride(0), dc.stride(1), "BLOCK_M"_a = blockM,
                                              "BLOCK_N"_a = blockN, "BLOCK_K"_a = 32, "GROUP"_a = 3,
                                              "ACTIVATION"_a = tilewise::quoted(activation));

    std::vector<double> expected;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        double sum = 0;
        for (int i = 0; i < k; ++i)
          sum += double(a[row * k + i]) * b[column * k + i];
        expected.push_back(sum >= 0 || activation.empty() ? sum : activation == "relu" ? 0 : 0.01 * sum);
      }
    const std::string what = "matmul_fused " + (activation.empty() ? "grouped" : activation);
    isGood &= compare(what.c_str(), device, dc.toVector<float>(), expected, double(k) * k * 0x1p-24);
  }
  return isGood;
}

int main(int argc, char **argv) { return runExample(argc, argv, matmulFused); }
