// Which warnings hold for a grid.
#include "runtime/LaunchLints.h"

#include "runtime/Log.h"

namespace tilewise {

LaunchLints::LaunchLints(std::vector<CompiledLint> lints, bool areErrors)
    : lints_(std::move(lints)), told_(new std::atomic<bool>[lints_.size()] {}), areErrors_(areErrors) {
  for (const CompiledLint &lint : lints_) {
    whenSeveral_ |= lint.whenSeveral;
    whenRankIsAtMost_ = std::max<unsigned>(whenRankIsAtMost_, lint.whenRankIsAtMost);
  }
}

Result<void> LaunchLints::tell(const std::string &kernel, const Shape &shape, size_t rank) {
  for (size_t i = 0; i < lints_.size(); ++i) {
    if ((severalAxes(shape) & lints_[i].whenSeveral) == 0 && rank > lints_[i].whenRankIsAtMost)
      continue;
    if (areErrors_)
      return launchFailure("kernel '" + kernel + "': " + lints_[i].text);
    if (!told_[i].exchange(true, std::memory_order_relaxed))
      log(TW_LOG_WARNING, lints_[i].text);
  }
  return {};
}

} // namespace tilewise
