// The process's only T, made at first use, never destroyed (threads may outlive main), and whole or
// absent in the child of a fork.
//
// A function's static variable is neither: its making is guarded, and a child that was forked while
// another thread made it waits for that thread for ever. Here nobody waits for a maker. Threads
// that come at once each make a T, and the first to publish one wins; the others delete theirs.
// Since nobody can publish while a process forks, a T that another thread is making is not there
// for the child, which makes its own.
//
// T has a `mutex`, which fork() takes as `lock`, and may have `afterForkInChild()`, which is called
// without it. Handlers are registered when the library is loaded:
//
//   static constinit ProcessWide<Epochs, ForkLock::Epochs> epochs;
//   static const bool epochsFork = epochs.registerForFork<epochs>();
#pragma once

#include "runtime/Fork.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace tilewise {

template <typename T, ForkLock lock> class ProcessWide {
public:
  T &get() {
    T *made = made_.load(std::memory_order_acquire);
    return made ? *made : make();
  }
  T *operator->() { return &get(); }

  template <ProcessWide &self> static bool registerForFork() {
    onFork(
        lock,
        [] {
          self.publishing_.lock();
          if (T *made = self.made_.load(std::memory_order_relaxed))
            made->mutex.lock();
        },
        [] { self.unlock(); },
        [] {
          self.unlock();
          if constexpr (requires(T &made) { made.afterForkInChild(); })
            if (T *made = self.made_.load(std::memory_order_relaxed))
              made->afterForkInChild();
        });
    return true;
  }

private:
  T &make() {
    auto mine = std::make_unique<T>();
    const std::lock_guard turn(publishing_);
    if (T *made = made_.load(std::memory_order_relaxed))
      return *made;
    made_.store(mine.get(), std::memory_order_release);
    return *mine.release();
  }
  void unlock() {
    if (T *made = made_.load(std::memory_order_relaxed))
      made->mutex.unlock();
    publishing_.unlock();
  }

  std::atomic<T *> made_{nullptr};
  std::mutex publishing_;
};

} // namespace tilewise
