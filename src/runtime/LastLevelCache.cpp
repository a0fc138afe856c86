// Linux's description of the caches -> the last of them.
#include "runtime/LastLevelCache.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tilewise {

static uint64_t parseBytes(const std::string &size) {
  char *unit = nullptr;
  const uint64_t number = std::strtoull(size.c_str(), &unit, 10);
  return *unit == 'K' ? number << 10 : *unit == 'M' ? number << 20 : number;
}

static unsigned countProcessors(const std::string &list) {
  unsigned count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    unsigned first = 0, last = 0;
    char dash = 0;
    std::istringstream text(range);
    if (text >> first)
      count += text >> dash >> last && dash == '-' && last >= first ? last - first + 1 : 1;
  }
  return count;
}

LastLevelCache lastLevelCache(const std::string &size, const std::string &sharedBy, unsigned processors) {
  LastLevelCache cache;
  if (const uint64_t bytes = parseBytes(size))
    cache.bytes = bytes;
  if (const unsigned sharing = countProcessors(sharedBy))
    cache.count = std::max(1u, (processors + sharing - 1) / sharing);
  return cache;
}

static LastLevelCache lookUp() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 4; index-- > 2;) {
    std::ifstream size(folder + std::to_string(index) + "/size");
    std::ifstream sharedBy(folder + std::to_string(index) + "/shared_cpu_list");
    std::string sizeText, listText;
    if (std::getline(size, sizeText) && std::getline(sharedBy, listText))
      return lastLevelCache(sizeText, listText, unsigned(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN))));
  }
  const long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return told > 0 ? LastLevelCache{uint64_t(told), 1} : LastLevelCache{};
}

const LastLevelCache lastLevelCacheOfMachine = lookUp();

} // namespace tilewise
