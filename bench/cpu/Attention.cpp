// Attention against the rate of fused multiply-adds that these threads reach at all.
#include "KernelFile.hpp"
#include "Works.h"

#include <atomic>
#include <immintrin.h>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {

/// Twelve chains of 16-wide multiply-adds that stay in registers: enough to hide the latency of four cycles on two ports.
__attribute__((target("avx512f"))) static float chains512(size_t rounds) {
  __m512 sums[12], x = _mm512_set1_ps(1.0001f), y = _mm512_set1_ps(1e-6f);
  for (__m512 &sum : sums)
    sum = x;
  for (size_t i = 0; i < rounds; ++i)
    for (__m512 &sum : sums)
      sum = _mm512_fmadd_ps(sum, x, y);
  float total = 0;
  for (__m512 &sum : sums)
    total += _mm512_reduce_add_ps(sum);
  return total;
}
__attribute__((target("avx2,fma"))) static float chains256(size_t rounds) {
  __m256 sums[12], x = _mm256_set1_ps(1.0001f), y = _mm256_set1_ps(1e-6f);
  for (__m256 &sum : sums)
    sum = x;
  for (size_t i = 0; i < rounds; ++i)
    for (__m256 &sum : sums)
      sum = _mm256_fmadd_ps(sum, x, y);
  float total = 0;
  for (__m256 &sum : sums)
    total += sum[0] + sum[7];
  return total;
}

/// GFLOPS of all threads together.
static double peak(const Options &options) {
  const bool isWide = __builtin_cpu_supports("avx512f");
  const size_t rounds = 1000000;
  std::atomic<float> sink; // or nobody would need the sums
  Contest contest(options, "fused multiply-adds in registers");
  contest.unit(2.0 * double(rounds) * 12 * (isWide ? 16 : 8) * team().size() / 1e9, "GFLOPS");
  contest.add("peak", [&] {
    team().split(size_t(team().size()), 1,
                 [&](size_t, size_t) { sink = isWide ? chains512(rounds) : chains256(rounds); });
  });
  contest.run();
  return 2.0 * double(rounds) * 12 * (isWide ? 16 : 8) * team().size() / contest.seconds("peak") / 1e9;
}

void attention(const Options &options) {
  const int64_t heads = 16, tokens = 2048, head = 64;
  Contest contest(options, "attention fp32, 16 heads, 2048 tokens, head 64");
  if (!contest.isWanted())
    return;
  const auto shape = tilewise::Shape{heads, tokens, head};
  const size_t count = size_t(heads * tokens * head);
  auto q = Tensor::from(noise(count), shape), k = Tensor::from(noise(count, 2), shape),
       v = Tensor::from(noise(count, 3), shape), out = Tensor::like(q);
  auto kernel = Kernel::load(kernelFile("attention.py"));
  const int64_t blockM = 128, blockN = 128;
  contest.unit(4.0 * double(heads * tokens * tokens * head) / 1e9, "GFLOPS");
  contest.add("ours", [&] {
    kernel[{cdiv(tokens, blockM), heads}](q, k, v, out, tokens, tokens, 0.125, tokens * head, head, "HEAD"_a = head,
                                          "BLOCK_M"_a = blockM, "BLOCK_N"_a = blockN, "CAUSAL"_a = false);
  });
  contest.bound("fma peak", peak(options), 0.60);
  contest.run();
}

} // namespace bench
