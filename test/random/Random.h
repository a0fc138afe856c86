// A stream of random numbers that is the same on every machine, and a hash to draw values by their
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace tilewise::random {

/// The finaliser of splitmix64: every bit of the argument reaches every bit of the result.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
inline uint64_t mix(uint64_t a, uint64_t b) { return mix(mix(a) + b); }

class Random {
public:
  explicit Random(uint64_t seed) : state_(mix(seed)) {}

  uint64_t next() { return mix(state_++); }
  /// 0 .. count - 1
  size_t below(size_t count) { return size_t(next() % count); }
  int between(int least, int most) { return least + int(below(size_t(most - least + 1))); }
  bool chance(int percent) { return int(below(100)) < percent; }
  template <typename T> const T &of(const std::vector<T> &list) { return list[below(list.size())]; }
  template <typename T> T of(std::initializer_list<T> list) { return list.begin()[below(list.size())]; }

private:
  uint64_t state_;
};

} // namespace tilewise::random
