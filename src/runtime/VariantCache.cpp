// The list of variants and the choice of the one to evict.
#include "runtime/VariantCache.h"

#include "runtime/Fork.h"
#include "support/Knobs.h"

#include <algorithm>
#include <new>

namespace tilewise {

VariantCache::VariantCache() : limit_(knobs::maxVariants()) {}

VariantCache &VariantCache::instance() {
  static VariantCache *made = [] {
    auto *cache = new VariantCache;
    onFork(ForkLock::Variants, [] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); }, afterForkInChild);
    return cache;
  }();
  return *made;
}

/// Those who were compiling are gone.
void VariantCache::afterForkInChild() {
  VariantCache &cache = instance();
  cache.compiling.clear();
  new (&cache.settled) std::condition_variable;
  cache.mutex.unlock();
}

void VariantCache::add(CachedVariant *variant) {
  variant->used.store(clock_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  variants_.push_back(variant);
}

void VariantCache::remove(CachedVariant *variant) {
  auto found = std::find(variants_.begin(), variants_.end(), variant);
  if (found == variants_.end())
    return;
  *found = variants_.back();
  variants_.pop_back();
}

CachedVariant *VariantCache::excess(const CachedVariant *newest) const {
  if (variants_.size() <= limit_)
    return nullptr;
  CachedVariant *oldest = nullptr;
  for (CachedVariant *each : variants_)
    if (each != newest &&
        (!oldest || each->used.load(std::memory_order_relaxed) < oldest->used.load(std::memory_order_relaxed)))
      oldest = each;
  return oldest;
}

} // namespace tilewise
