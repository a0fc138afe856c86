// softmax(Q K^T * scale) V for several heads, with and without a causal mask: the running maximum
// and sum make one pass enough.
#include "Example.hpp"

#include <algorithm>

using namespace tilewise::literals;
using tilewise::Tensor;

static bool attention(tilewise::Device device) {
  const int heads = 2, tokens = 77, head = 32;
  const float scale = 1 / std::sqrt(float(head));
  const size_t count = size_t(heads) * tokens * head;
  const auto q = wave(count, 0.31, 2), k = wave(count, 0.47, 2), v = wave(count, 0.13);

  auto kernel = loadKernel("attention.py");
  const tilewise::Shape shape{heads, tokens, head};
  auto dq = Tensor::from(q, shape, device), dk = Tensor::from(k, shape, device), dv = Tensor::from(v, shape, device);
  bool isGood = true;
  for (bool isCausal : {false, true}) {
    auto out = Tensor::like(dq);
    kernel[{tilewise::cdiv(tokens, 16), heads}](dq, dk, dv, out, tokens, tokens, scale, dq.stride(0), dq.stride(1),
                                                "HEAD"_a = head, "BLOCK_M"_a = 16, "BLOCK_N"_a = 32,
                                                "CAUSAL"_a = tilewise::constant(isCausal ? "True" : "False"));

    std::vector<double> expected;
    for (int h = 0; h < heads; ++h)
      for (int i = 0; i < tokens; ++i) {
        auto at = [&](const std::vector<float> &x, int token, int d) {
          return double(x[(h * tokens + token) * head + d]);
        };
        std::vector<double> weights;
        for (int j = 0; j < (isCausal ? i + 1 : tokens); ++j) {
          double score = 0;
          for (int d = 0; d < head; ++d)
            score += at(q, i, d) * at(k, j, d);
          weights.push_back(score * scale);
        }
        const double top = *std::max_element(weights.begin(), weights.end());
        double total = 0;
        for (double &weight : weights)
          total += weight = std::exp(weight - top);
        for (int d = 0; d < head; ++d) {
          double sum = 0;
          for (size_t j = 0; j < weights.size(); ++j)
            sum += weights[j] / total * at(v, int(j), d);
          expected.push_back(sum);
        }
      }
    isGood &= compare(isCausal ? "causal attention" : "attention", device, out.toVector<float>(), expected, 1e-5);
  }
  return isGood;
}

int main(int argc, char **argv) { return runExample(argc, argv, attention); }
