// The profilers that the environment names, opened once.
#include "runtime/profile/Ranges.h"

#include <cstdlib>
#include <vector>

namespace tilewise::profile {

static constexpr const char *kNvtx = "NVTX_INJECTION64_PATH";
static constexpr const char *kItt = "INTEL_LIBITTNOTIFY64";

bool isRangeToolNamed() { return getenv(kNvtx) || getenv(kItt); }

// Never freed: other threads may be inside of a range when the process ends.
static const std::vector<std::unique_ptr<RangeTool>> &tools() {
  static const auto *opened = [] {
    auto *all = new std::vector<std::unique_ptr<RangeTool>>;
    if (const char *path = getenv(kNvtx))
      if (auto tool = openNvtx(path))
        all->push_back(std::move(tool));
    if (const char *path = getenv(kItt))
      if (auto tool = openItt(path))
        all->push_back(std::move(tool));
    return all;
  }();
  return *opened;
}

bool beginRange(const char *name) {
  for (const auto &tool : tools())
    tool->begin(name);
  return !tools().empty();
}

void endRange() {
  for (const auto &tool : tools())
    tool->end();
}

} // namespace tilewise::profile
