// Whether the host wants a launch to end, as after Ctrl-C: asked between programs.
#pragma once

#include "tilewise/report.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace tilewise {

void setInterruptCallback(tw_interrupt_callback callback, void *user);

/// The question for one launch. The host is asked on the launching thread only, and every 20 ms at
/// most: its answer may need a lock that it holds for about as long.
class Interruption {
public:
  /// On the launching thread.
  Interruption();

  /// Whether there is anybody to ask.
  bool canHappen() const { return callback_ != nullptr; }
  using Clock = std::chrono::steady_clock;
  /// For all threads of the launch: true, and true from then on, once it should end. A clock takes
  /// a tenth of a small launch to read: who has just read it says what it showed.
  bool isWanted(Clock::time_point now = Clock::now());
  /// Whether an answer was true.
  bool wasWanted() const { return wanted_.load(std::memory_order_relaxed); }

private:
  static constexpr std::chrono::milliseconds kPause{20};

  tw_interrupt_callback callback_;
  void *user_;
  const std::thread::id launcher_ = std::this_thread::get_id();
  Clock::time_point next_; ///< A pause after the first question; none before that.
  std::atomic<bool> wanted_{false};
};

} // namespace tilewise
