// Ends a program of a CPU kernel in its middle: when the host wants the launch to end (Ctrl-C),
// when it waits for a program that cannot begin, or when it touches a tensor that has no elements.
//
// Compiled code is not asked to look at anything, so it costs nothing there. A thread of the
// library looks every 50 ms at the threads that run programs; one that has been in the same call
// since the last look gets a signal. Its handler, on that thread, asks whether the launch should
// end, and if so jumps back to where the code was called. It does so only when the interrupted
// instruction belongs to a kernel: kernels hold no locks and own nothing, so there the handler may
// do what any function may, even call the host, and the frames it leaves have nothing to clean up.
// Elsewhere (inside a function that the kernel calls) it returns, to be sent again.
//
// A kernel that waits for other programs (LaunchPlan::waits) is stuck when programs have not begun,
// no thread is free to begin them, and none has ended or begun for TILEWISE_WAIT_SECONDS: those
// that run wait for one with a higher number. That needs a cooperative launch (SpreadPrograms.h).
//
// A tensor without elements has no memory and is passed as a null pointer. That is fine while masks
// keep the kernel from it; where they do not, the access faults at an address near zero, and the
// fault's handler leaves the kernel by the same jump.
#pragma once

#include "runtime/Interrupt.h"

#include <csetjmp>
#include <csignal>
#include <cstdint>

namespace tilewise {

struct CodeOrigin;

/// Sent to threads inside kernels. By default it is ignored, and hardly anybody uses it: urgent
/// data on sockets.
inline constexpr int kLeaveSignal = SIGURG;

/// One launch, on the launching thread's stack.
class WatchedLaunch {
public:
  /// `hasEmpty`: an argument has no elements.
  WatchedLaunch(Interruption &interruption, bool waits, bool hasEmpty, uint64_t programs);
  ~WatchedLaunch();
  WatchedLaunch(const WatchedLaunch &) = delete;
  WatchedLaunch &operator=(const WatchedLaunch &) = delete;

  /// Makes the calling thread known to the watch, under a lock. `call` does it, too, if nobody has.
  static void enlistThread();
  /// Calls `body`, which calls the kernel for so many programs and owns nothing; leaves it early
  /// when the launch is over.
  void call(uint64_t programs, void (*body)(void *context), void *context);
  /// No more programs should begin. Asks the host, on the launching thread.
  bool isOver() { return isStuck() || stopped_.load(std::memory_order_relaxed) || interruption_.isWanted(); }
  /// Has it be over: a program has failed that others may wait for.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool isStuck() const { return stuck_.load(std::memory_order_relaxed); }
  /// "k.py:14:5, in program (3, 0, 0)": where an argument without elements was touched first; null:
  /// nowhere.
  const char *touchedEmpty() const { return touched_.load(std::memory_order_acquire) == kTold ? where_ : nullptr; }
  uint64_t notBegun() const { return programs_ - begun_.load(std::memory_order_relaxed); }

private:
  friend class Watchdog;
  static void onFault(const CodeOrigin &origin, int signal, const siginfo_t *info);
  struct Progress {
    uint64_t begun = 0, ended = 0;
    bool operator==(const Progress &) const = default;
  };

  Interruption &interruption_;
  const bool waits_, hasEmpty_;
  const uint64_t programs_;
  // Only of kernels that wait.
  std::atomic<uint64_t> begun_{0}, ended_{0};
  std::atomic<unsigned> inside_{0}; ///< Threads.
  std::atomic<bool> stuck_{false}, stopped_{false};
  static constexpr int kTelling = 1, kTold = 2;
  std::atomic<int> touched_{0};
  char where_[640];
  // The watching thread's, under its mutex.
  Progress seen_;
  std::chrono::steady_clock::time_point since_;
  WatchedLaunch *next_ = nullptr;
};

/// For tests: the watch looks after this pause, and takes a kernel for stuck after that time.
void setWatchdogTimes(std::chrono::milliseconds pause, std::chrono::milliseconds stuckAfter);

} // namespace tilewise
