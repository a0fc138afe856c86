// Warnings about a launch's grid, told once for each compiled kernel: see passes/GridLints.h.
#pragma once

#include "driver/Compile.h"
#include "support/Error.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace tilewise {

class LaunchLints {
public:
  using Shape = std::array<uint32_t, 3>;

  LaunchLints() = default;
  LaunchLints(std::vector<CompiledLint> lints, bool areErrors);

  /// Whether one of them may hold for this grid: all that a launch pays for.
  bool mayHold(const Shape &shape, size_t rank) const {
    return (severalAxes(shape) & whenSeveral_) != 0 || rank <= whenRankIsAtMost_;
  }
  /// Logs those that hold and were not told before; with -Werror, fails with the first of them.
  Result<void> tell(const std::string &kernel, const Shape &shape, size_t rank);

private:
  static unsigned severalAxes(const Shape &shape) {
    return unsigned(shape[0] > 1) | unsigned(shape[1] > 1) << 1 | unsigned(shape[2] > 1) << 2;
  }

  std::vector<CompiledLint> lints_;
  std::unique_ptr<std::atomic<bool>[]> told_; ///< One for each.
  unsigned whenSeveral_ = 0, whenRankIsAtMost_ = 0;
  bool areErrors_ = false;
};

} // namespace tilewise
