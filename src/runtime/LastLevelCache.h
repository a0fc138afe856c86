// How much the last level of caches holds of what a launch stores.
#pragma once

#include <cstdint>
#include <string>

namespace tilewise {

/// Processors of AMD have several last-level caches, each for some cores: 32 MiB for eight of them
/// where libc, which adds them up, tells of 384.
struct LastLevelCache {
  uint64_t bytes = uint64_t(32) << 20; ///< Of one; a middling server's where nothing tells.
  unsigned count = 1;

  uint64_t reachedBy(unsigned threads) const { return bytes * (threads < count ? threads : count); }
};

/// As the kernel's files about processor 0 have it: "32768K", and the processors that share it,
/// "0-7,64-71".
LastLevelCache lastLevelCache(const std::string &size, const std::string &sharedBy, unsigned processors);
/// Of this machine, looked up when the library is loaded.
extern const LastLevelCache lastLevelCacheOfMachine;

} // namespace tilewise
