// The rate of fused multiply-adds that these threads reach at all: nothing but registers.
#include "Works.h"

#include <cstdlib>
#include <string_view>

namespace bench {

using Floats16 = float __attribute__((vector_size(64)));
using Floats8 = float __attribute__((vector_size(32)));

/// Twelve chains of multiply-adds that stay in registers: enough to hide the latency of four cycles
/// on two ports.
template <typename Vector> [[gnu::always_inline]] static inline float chains(size_t rounds) {
  const Vector x = Vector{} + 1.0001f, y = Vector{} + 1e-6f;
  Vector sums[12];
  for (Vector &sum : sums)
    sum = x;
  for (size_t i = 0; i < rounds; ++i)
    for (Vector &sum : sums)
      sum = __builtin_elementwise_fma(sum, x, y);
  float total = 0;
  for (Vector &sum : sums)
    total += sum[0];
  return total;
}
[[gnu::target("avx512f")]] static float chains512(size_t rounds) { return chains<Floats16>(rounds); }
[[gnu::target("avx2,fma")]] static float chains256(size_t rounds) { return chains<Floats8>(rounds); }

/// With the vectors that kernels are compiled for.
static bool isWide() {
  const char *processor = std::getenv("TILEWISE_CPU");
  return __builtin_cpu_supports("avx512f") && !(processor && std::string_view(processor) == "avx2");
}

/// Operations of one round of chains.
static double perRound() { return 2.0 * 12 * (isWide() ? 16 : 8); }

static void runChains(size_t rounds) {
  [[maybe_unused]] volatile float sink; // or nobody would need the sums
  sink = isWide() ? chains512(rounds) : chains256(rounds);
}

static void runChainsOnAll(size_t rounds) {
  team().split(size_t(team().size()), 1, [&](size_t, size_t) { runChains(rounds); });
}

void multiplyAdds(const Options &options) {
  const size_t rounds = 1000000;
  Contest contest(options, "fused multiply-adds in registers");
  contest.unit(perRound() * double(rounds) * team().size() / 1e9, "GFLOPS");
  contest.add("all threads", [&] { runChainsOnAll(rounds); });
  // As much work as all threads do: where two of them share a core, or a core alone runs at a
  // higher clock, one thread has more than its share.
  contest.add("one thread", [&] {
    for (int i = 0; i < team().size(); ++i)
      runChains(rounds);
  });
  contest.compare("one thread");
  contest.run();
}

void addMultiplyAdds(Contest &contest, double operations) {
  const auto rounds = size_t(operations / perRound() / team().size());
  contest.add("fma peak", [rounds] { runChainsOnAll(rounds); });
}

} // namespace bench
