// The memory of a launch: filled from the seed, with red zones around, and compared between
// engines.
#pragma once

#include "Emit.h"

#include <memory>

namespace tilewise::random {

/// Element `index` of a buffer before the launch, the same whatever the buffer's size: shrinking
/// keeps the values.
uint64_t elementOf(const ElementType &type, Fill fill, int limit, uint64_t seed, uint64_t index);

/// One buffer in host memory. The bytes before and after it must stay as they are.
class Memory {
public:
  Memory(const BufferPlan &plan, uint64_t seed);

  unsigned char *data() { return bytes_.data() + begin_; }
  const unsigned char *data() const { return bytes_.data() + begin_; }
  size_t size() const { return size_; }
  uint64_t element(size_t index) const;
  /// Empty, or where something was written outside.
  std::string strayWrite() const;

private:
  static constexpr size_t kZone = 4096;
  static constexpr unsigned char kZoneByte = 0xdb;
  std::vector<unsigned char> bytes_;
  size_t begin_, size_, width_;
};

/// Empty, or the first element in which the engine's memory differs from the reference's by more
/// than it may.
std::string difference(const BufferPlan &plan, const Memory &expected, const Memory &got);

} // namespace tilewise::random
