// Linux's description of the caches -> the last of them.
#include "runtime/LastLevelCache.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
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

/// The first line of a file; empty where there is none. By C's own functions: a stream of C++ would
/// need a newer C library than the rest of ours.
static std::string lineOf(const std::string &path) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "re"), std::fclose);
  char line[4096];
  if (!file || !std::fgets(line, sizeof line, file.get()))
    return "";
  std::string text = line;
  return text.substr(0, text.find('\n'));
}

static LastLevelCache lookUp() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 4; index-- > 2;) {
    const std::string size = lineOf(folder + std::to_string(index) + "/size");
    const std::string sharedBy = lineOf(folder + std::to_string(index) + "/shared_cpu_list");
    if (!size.empty() && !sharedBy.empty())
      return lastLevelCache(size, sharedBy, unsigned(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN))));
  }
  const long told = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return told > 0 ? LastLevelCache{uint64_t(told), 1} : LastLevelCache{};
}

const LastLevelCache lastLevelCacheOfMachine = lookUp();

} // namespace tilewise
