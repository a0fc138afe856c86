// What happens now, told to a profiler of somebody else: ranges for Nsight (NVTX) and VTune (ITT).
//
// Both start a program with an environment variable that names a library of theirs:
// NVTX_INJECTION64_PATH and INTEL_LIBITTNOTIFY64. It is opened when the first range begins, and
// given the addresses at which it puts its functions. Programs that no profiler has started open
// nothing.
#pragma once

#include <memory>

namespace tilewise::profile {

class RangeTool {
public:
  virtual ~RangeTool() = default;
  /// Ranges of a thread nest: the one that began last ends first.
  virtual void begin(const char *name) = 0;
  virtual void end() = 0;
};

/// The library at this path; null where it cannot be opened or does not want ranges.
std::unique_ptr<RangeTool> openNvtx(const char *path);
std::unique_ptr<RangeTool> openItt(const char *path);

/// Whether the environment names a profiler.
bool isRangeToolNamed();
/// A range of this thread in all profilers; false where there are none after all.
bool beginRange(const char *name);
void endRange();

} // namespace tilewise::profile
