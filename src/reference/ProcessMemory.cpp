// /proc/self/maps -> ranges of addresses.
#include "reference/ProcessMemory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>

namespace tilewise::reference {

bool ProcessMemory::look() {
  ranges_.clear();
  FILE *maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return false;
  char line[512];
  bool atStart = true; // A path longer than a line is read in pieces.
  while (std::fgets(line, sizeof line, maps)) {
    uint64_t begin, end;
    char read, write;
    if (atStart && std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %c%c", &begin, &end, &read, &write) == 4 && read == 'r') {
      bool canWrite = write == 'w';
      if (!ranges_.empty() && ranges_.back().end == begin && ranges_.back().canWrite == canWrite)
        ranges_.back().end = end;
      else
        ranges_.push_back({begin, end, canWrite});
    }
    atStart = std::string_view(line).ends_with('\n');
  }
  std::fclose(maps);
  return !ranges_.empty();
}

const ProcessMemory::Range *ProcessMemory::find(uint64_t address) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                [](uint64_t value, const Range &range) { return value < range.begin; });
  return after != ranges_.begin() && address < std::prev(after)->end ? &*std::prev(after) : nullptr;
}

bool ProcessMemory::holds(uint64_t address, uint64_t bytes, bool forWriting) {
  auto isIn = [&](const Range &range) {
    return address >= range.begin && address < range.end && bytes <= range.end - address &&
           (range.canWrite || !forWriting);
  };
  if (!ranges_.empty() && isIn(latest_))
    return true;
  for (bool isFresh : {false, true}) {
    if ((isFresh || ranges_.empty()) && !look())
      return true;
    // Ranges that touch differ in what may be done with them.
    uint64_t at = address;
    const Range *range = find(at);
    while (range && (range->canWrite || !forWriting) && range->end - at < address + bytes - at)
      range = find(at = range->end);
    if (!range || (forWriting && !range->canWrite))
      continue;
    latest_ = *range;
    return true;
  }
  return false;
}

} // namespace tilewise::reference
