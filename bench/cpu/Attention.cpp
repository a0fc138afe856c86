// Attention against the rate of fused multiply-adds that these threads reach at all.
#include "KernelFile.hpp"
#include "Works.h"

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {

void attention(const Options &options) {
  const int64_t heads = 16, tokens = 2048, head = 64;
  Contest contest(options, "attention fp32, 16 heads, 2048 tokens, head 64");
  if (!contest.isWanted())
    return;
  multiplyAdds(options);
  const auto shape = tilewise::Shape{heads, tokens, head};
  const size_t count = size_t(heads * tokens * head);
  auto q = Tensor::from(noise(count), shape), k = Tensor::from(noise(count, 2), shape),
       v = Tensor::from(noise(count, 3), shape), out = Tensor::like(q);
  auto kernel = Kernel::load(kernelFile("attention.py"));
  // More queries per block pay for the way of keys and values to the first cache; fewer keep all
  // threads busy to the end.
  const int64_t blockM = heads * tokens / 256 >= 16 * team().size() ? 256 : 128, blockN = 128;
  const double operations = 4.0 * double(heads * tokens * tokens * head);
  contest.unit(operations / 1e9, "GFLOPS");
  contest.add("ours", [&] {
    kernel[{cdiv(tokens, blockM), heads}](q, k, v, out, tokens, tokens, 0.125, tokens * head, head, "HEAD"_a = head,
                                          "BLOCK_M"_a = blockM, "BLOCK_N"_a = blockN, "CAUSAL"_a = false);
  });
  addMultiplyAdds(contest, operations);
  contest.bar("fma peak", 0.60);
  contest.run();
}

} // namespace bench
