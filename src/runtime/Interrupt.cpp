// The host's callback, and when it is asked.
#include "runtime/Interrupt.h"

namespace tilewise {

namespace {
struct Asked {
  tw_interrupt_callback callback;
  void *user;
};
} // namespace

/// Read by every launch, so without a lock. A host sets it once or twice; what it set before is
/// never freed, since launches may hold it.
static std::atomic<const Asked *> asked{nullptr};

void setInterruptCallback(tw_interrupt_callback callback, void *user) {
  asked.store(callback ? new Asked{callback, user} : nullptr, std::memory_order_release);
}

Interruption::Interruption() {
  const Asked *now = asked.load(std::memory_order_acquire);
  callback_ = now ? now->callback : nullptr;
  user_ = now ? now->user : nullptr;
}

bool Interruption::isWanted(Clock::time_point now) {
  if (wasWanted())
    return true;
  if (!callback_ || std::this_thread::get_id() != launcher_)
    return false;
  if (next_ == Clock::time_point())
    next_ = now + kPause;
  if (now < next_)
    return false;
  bool wanted = callback_(user_);
  next_ = Clock::now() + kPause;
  if (wanted)
    wanted_.store(true, std::memory_order_relaxed);
  return wanted;
}

} // namespace tilewise
