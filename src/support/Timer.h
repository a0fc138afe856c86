// Wall time per named stage of one compile, kept in the order of first use.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>
#include <vector>

namespace tilewise {

class StageTimes {
public:
  struct Stage {
    std::string name;
    double milliseconds = 0;
  };

  void add(llvm::StringRef name, double milliseconds);
  const std::vector<Stage> &stages() const { return stages_; }
  double total() const;

  /// One line per stage, and the total.
  std::string render() const;

private:
  std::vector<Stage> stages_;
};

/// Adds the time between construction and destruction to a stage; a null `times` measures nothing.
class StageTimer {
public:
  StageTimer(StageTimes *times, llvm::StringRef name) : times_(times), name_(name), start_(Clock::now()) {}
  StageTimer(const StageTimer &) = delete;
  StageTimer &operator=(const StageTimer &) = delete;
  ~StageTimer() {
    if (times_)
      times_->add(name_, std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
  }

private:
  using Clock = std::chrono::steady_clock;
  StageTimes *times_;
  llvm::StringRef name_;
  Clock::time_point start_;
};

} // namespace tilewise
