// The last kernels that were launched on any GPU, and what a fault of one of them says.
#include "runtime/CudaFaults.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <vector>

namespace tilewise::cuda {

// A fault is noticed some launches later: more names than these would tell nobody anything.
static constexpr size_t kKept = 8;
static std::array<std::atomic<const std::string *>, kKept> lastLaunches;
static std::atomic<size_t> launches;

const std::string *internName(const std::string &kernel) {
  static std::mutex mutex;
  static auto *names = new std::set<std::string>;
  std::lock_guard lock(mutex);
  return &*names->insert(kernel).first;
}

void noteLaunch(const std::string *kernel) {
  lastLaunches[launches.fetch_add(1, std::memory_order_relaxed) % kKept].store(kernel, std::memory_order_release);
}

/// Of the driver's numbers those by which a context is lost: an address that is not there, a time
/// limit, an assertion, a hardware stack, an instruction, an address that is not aligned, one of
/// another space, a program counter, and what has no name.
static bool isFault(int code) { return code == 700 || code == 702 || code == 710 || (code >= 714 && code <= 719); }

std::string describeFault(int code) {
  if (!isFault(code))
    return "";
  std::vector<const std::string *> names;
  const size_t count = launches.load(std::memory_order_relaxed);
  for (size_t i = 0; i < std::min(count, kKept); ++i) {
    const std::string *name = lastLaunches[(count - 1 - i) % kKept].load(std::memory_order_acquire);
    if (name && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  std::string text = "\nnote: a kernel failed on the GPU";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "; the last ones launched, newest first: '" : ", '") + *names[i] + "'";
  text += "\nnote: the driver accepts no more work from this process on that GPU; restart the process";
  if (code != 710)
    text += ", with TILEWISE_CHECKED=1 to be told the line, the argument, the program and the lane";
  return text;
}

} // namespace tilewise::cuda
