// The rate of fused multiply-adds that these threads reach at all: nothing but registers.
#include "Works.h"

#include <atomic>
#include <immintrin.h>

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

double multiplyAddPeak(const Options &options) {
  const bool isWide = __builtin_cpu_supports("avx512f");
  const size_t rounds = 1000000;
  const double perThread = 2.0 * double(rounds) * 12 * (isWide ? 16 : 8) / 1e9;
  std::atomic<float> sink; // or nobody would need the sums
  auto chains = [&] { sink = isWide ? chains512(rounds) : chains256(rounds); };
  Contest contest(options, "fused multiply-adds in registers");
  contest.unit(perThread * team().size(), "GFLOPS");
  contest.add("all threads", [&] { team().split(size_t(team().size()), 1, [&](size_t, size_t) { chains(); }); });
  // As much work as all threads do: where two of them share a core, or a core alone runs at a higher clock, one thread has more than its share.
  contest.add("one thread", [&] {
    for (int i = 0; i < team().size(); ++i)
      chains();
  });
  contest.compare("one thread");
  contest.run();
  return perThread * team().size() / contest.seconds("all threads");
}

} // namespace bench
