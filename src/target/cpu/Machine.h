// What the nest emitter needs to know about a processor; plain numbers, so that a test can name a
// machine it does not run on.
#pragma once

#include <cstdint>

namespace tilewise::cpu {

struct Machine {
  unsigned vectorBytes = 64;     ///< Width of one vector register.
  unsigned vectorRegisters = 32; ///< AVX-512 has 32, everything before it 16.
  bool hasHalf = true;           ///< f16 <-> f32 in hardware (F16C).
  bool hasScale = true;          ///< x * 2^n in one instruction (AVX-512).
  /// Maximum and minimum that know the sign of zero, in one instruction (AVX512-DQ).
  bool hasRange = true;
  bool isX86 = true;
  bool hasVnni = false;     ///< Sums of four products of bytes (AVX512-VNNI, AVX-VNNI).
  bool hasBf16 = false;     ///< Sums of two products of bf16 (AVX512-BF16).
  bool hasTileInt8 = false; ///< Products of tiles (AMX).
  bool hasTileBf16 = false;
  bool hasRound = true; ///< floor, ceil, trunc and roundeven in hardware (SSE4.1).
  bool hasFma = true;   ///< Fused multiply-add in hardware; without it LLVM would call libm.

  /// Elements of `bits` that fill one register.
  int64_t lanes(unsigned bits) const { return int64_t(vectorBytes) * 8 / bits; }
};

/// The largest power of two up to `atMost` that divides `extent`.
inline int64_t largestDivisor(int64_t extent, int64_t atMost) {
  int64_t divisor = 1;
  while (divisor * 2 <= atMost && extent % (divisor * 2) == 0)
    divisor *= 2;
  return divisor;
}

} // namespace tilewise::cpu
