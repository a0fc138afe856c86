// What bounds the compiled kernels of a process: no more than TILEWISE_MAX_VARIANTS are kept for
// the CPU and reference engines, by use.
//
// A variant is a kernel compiled for one signature. A compile that makes one too many evicts the
// one whose latest use lies furthest back; its code is unmapped when no launch can be inside it any
// more (Epoch.h), and compiled again if it is wanted again. The clock moves with every compile, and
// a launch notes the time in its variant only when it has moved: in the steady state launches write
// nothing that others read. Code on a GPU is not evicted: launches there outlive their calls, and
// captured graphs refer to it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilewise {

struct CachedVariant {
  std::atomic<uint64_t> used{0}; ///< The clock at its latest use.
};

class VariantCache {
public:
  static VariantCache &instance();

  /// Guards the list, the compiles under way, and the writes of all kernels' launch tables.
  std::mutex mutex;

  /// Keys that some thread compiles now; others that want them wait until they have settled.
  struct Compile {
    const void *kernel;
    std::vector<uint64_t> key;
    bool operator==(const Compile &) const = default;
  };
  std::vector<Compile> compiling;
  std::condition_variable settled;

  /// With the mutex held.
  void add(CachedVariant *variant);
  void remove(CachedVariant *variant);
  /// One to evict now, or null; never `newest`.
  CachedVariant *excess(const CachedVariant *newest) const;

  void noteUse(CachedVariant &variant) const {
    const uint64_t now = clock_.load(std::memory_order_relaxed);
    if (variant.used.load(std::memory_order_relaxed) != now)
      variant.used.store(now, std::memory_order_relaxed);
  }

  size_t size() const { return variants_.size(); }
  /// For tests.
  void setLimit(size_t limit) { limit_ = limit; }

  VariantCache();
  void afterForkInChild();

private:
  size_t limit_;
  std::atomic<uint64_t> clock_{0};
  std::vector<CachedVariant *> variants_;
};

} // namespace tilewise
