// The list of variants and the choice of the one to evict.
#include "runtime/VariantCache.h"

#include "runtime/ProcessWide.h"
#include "support/Knobs.h"

#include <algorithm>
#include <new>

namespace tilewise {

VariantCache::VariantCache() : limit_(knobs::maxVariants()) {}

static constinit ProcessWide<VariantCache, ForkLock::Variants> ofProcess;
[[maybe_unused]] static const bool isForkReady = ofProcess.registerForFork<ofProcess>();
VariantCache &VariantCache::instance() { return ofProcess.get(); }

/// Those who were compiling are gone.
void VariantCache::afterForkInChild() {
  compiling.clear();
  new (&settled) std::condition_variable;
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
