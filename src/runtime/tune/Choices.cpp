// Turns, and what a fork leaves of them.
#include "runtime/tune/Choices.h"

#include "runtime/ProcessWide.h"

#include <algorithm>
#include <new>

namespace tilewise::tune {

static constinit ProcessWide<Choices, ForkLock::Tuning> ofProcess;
[[maybe_unused]] static const bool isForkReady = ofProcess.registerForFork<ofProcess>();
Choices &Choices::instance() { return ofProcess.get(); }

/// Those of other threads are gone.
void Choices::afterForkInChild() {
  std::erase_if(underWay_, [](const One &one) { return one.thread != std::this_thread::get_id(); });
  new (&settled_) std::condition_variable;
}

Result<std::unique_ptr<Choices::Turn>> Choices::take(std::unique_lock<std::mutex> &lock, const void *tuner,
                                                     const std::string &kernel, const std::function<bool()> &isKnown) {
  while (true) {
    if (isKnown())
      return std::unique_ptr<Turn>();
    auto other = std::find_if(underWay_.begin(), underWay_.end(), [&](const One &one) { return one.tuner == tuner; });
    if (other == underWay_.end())
      break;
    if (other->thread == std::this_thread::get_id())
      return launchFailure("kernel '" + kernel + "': a function that its tuner calls launches it by the same tuner; " +
                           "launch the kernel itself there");
    settled_.wait(lock);
  }
  underWay_.push_back({tuner, std::this_thread::get_id()});
  return std::unique_ptr<Turn>(new Turn(tuner));
}

Choices::Turn::~Turn() {
  Choices &all = instance();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.underWay_, [&](const One &one) { return one.tuner == tuner_; });
  all.settled_.notify_all();
}

} // namespace tilewise::tune
