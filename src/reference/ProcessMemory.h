// Which addresses this process has memory at: what is known of a pointer whose size nobody gave.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewise::reference {

/// A view of the process's memory, taken when it is first asked and again when it seems to lack
/// something.
class ProcessMemory {
public:
  /// Whether all of [address, address + bytes) can be read, or written. True where the system does
  /// not tell.
  bool holds(uint64_t address, uint64_t bytes, bool forWriting);
  void forget() { ranges_.clear(); }

private:
  struct Range {
    uint64_t begin, end;
    bool canWrite;
  };
  const Range *find(uint64_t address) const;
  bool look();

  std::vector<Range> ranges_; ///< Readable ones, by address; neighbours of one kind are one.
  Range latest_{0, 0, false};
};

} // namespace tilewise::reference
