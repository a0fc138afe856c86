// The memory that a pointer argument of a launch stands for: what checked mode holds accesses
// against.
#pragma once

#include <cstdint>

namespace tilewise {

/// Bytes [begin, end) of the argument's storage; `pointer` is where the argument itself points,
/// most often to `begin`. A pointer of unknown size (a raw one) may touch everything but the first
/// page, which no process maps: null and its neighbours.
struct ArgumentSpan {
  static constexpr uint64_t kFirstPage = 4096;

  uint64_t begin = kFirstPage, end = UINT64_MAX, pointer = 0;

  bool isKnown() const { return end != UINT64_MAX; }
  bool holds(uint64_t address, uint64_t bytes) const {
    return address >= begin && end >= bytes && address <= end - bytes;
  }
};

} // namespace tilewise
