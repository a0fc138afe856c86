// The turns are one number: how many run with others, or that one is alone.
#include "runtime/Alone.h"

#include "runtime/Fork.h"

#include <atomic>

namespace tilewise {

static constexpr int kAlone = -1;
static std::atomic<int> running{0};
static thread_local AtomicsTurn::Wish ofThisThread = AtomicsTurn::Wish::None;

AtomicsTurn::AtomicsTurn(Wish wish) {
  if (wish == Wish::None || ofThisThread != Wish::None)
    return;
  int found = 0;
  if (wish == Wish::Alone && running.compare_exchange_strong(found, kAlone, std::memory_order_acquire)) {
    taken_ = Wish::Alone;
  } else {
    while (found == kAlone || !running.compare_exchange_weak(found, found + 1, std::memory_order_acquire)) {
      if (found != kAlone)
        continue;
      running.wait(kAlone, std::memory_order_relaxed);
      found = running.load(std::memory_order_relaxed);
    }
    taken_ = Wish::WithOthers;
  }
  ofThisThread = taken_;
}

AtomicsTurn::~AtomicsTurn() {
  if (taken_ == Wish::None)
    return;
  ofThisThread = Wish::None;
  if (taken_ == Wish::WithOthers) {
    running.fetch_sub(1, std::memory_order_release);
    return;
  }
  running.store(0, std::memory_order_release);
  running.notify_all();
}

/// In the child of a fork only this thread's launch goes on.
[[maybe_unused]] static const bool isForkReady = onFork(ForkLock::Atomics, nullptr, nullptr, [] {
  running.store(ofThisThread == AtomicsTurn::Wish::Alone        ? kAlone
                : ofThisThread == AtomicsTurn::Wish::WithOthers ? 1
                                                                : 0,
                std::memory_order_relaxed);
});

} // namespace tilewise
