// The count of compiles under way, and what fork() does before and after.
#include "runtime/Fork.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>

namespace tilewise {

namespace {
struct Handlers {
  void (*before)() = nullptr, (*inParent)() = nullptr, (*inChild)() = nullptr;
};

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned compiling = 0;
  bool forking = false;
  /// Written without a lock: who registers is inside the making of its singleton, and if it waited
  /// there for a fork, the child would find that singleton half made for ever.
  std::array<std::atomic<const Handlers *>, size_t(ForkLock::Profile) + 1> handlers{};
  /// Those that the fork under way has begun with.
  std::array<const Handlers *, size_t(ForkLock::Profile) + 1> called{};
};
} // namespace

/// How often this thread is inside a CompileScope, and whether the gate counts it.
static thread_local constinit unsigned depth = 0;
static thread_local constinit bool isCounted = false;

static Gate &gate();

static void beforeFork() {
  std::unique_lock lock(gate().mutex);
  gate().changed.wait(lock, [] { return !gate().forking; });
  gate().forking = true; // new compiles wait, and so do other forks
  gate().changed.wait(lock, [] { return gate().compiling == (isCounted ? 1 : 0); });
  for (size_t i = 0; i < gate().handlers.size(); ++i) {
    const Handlers *each = gate().called[i] = gate().handlers[i].load(std::memory_order_acquire);
    if (each && each->before)
      each->before();
  }
  lock.release();
}

static void afterForkInParent() {
  for (const Handlers *each : gate().called)
    if (each && each->inParent)
      each->inParent();
  gate().forking = false;
  gate().changed.notify_all();
  gate().mutex.unlock();
}

static void afterForkInChild() {
  for (const Handlers *each : gate().called)
    if (each && each->inChild)
      each->inChild();
  gate().forking = false;
  gate().compiling = isCounted ? 1 : 0;
  // It still counts waiters that are gone.
  new (&gate().changed) std::condition_variable;
  gate().mutex.unlock();
}

static Gate &gate() {
  static Gate *made = [] {
    auto *all = new Gate;
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    return all;
  }();
  return *made;
}

void onFork(ForkLock lock, void (*before)(), void (*inParent)(), void (*inChild)()) {
  gate().handlers[size_t(lock)].store(new Handlers{before, inParent, inChild}, std::memory_order_release);
}

static void enter() {
  std::unique_lock lock(gate().mutex);
  gate().changed.wait(lock, [] { return !gate().forking; });
  ++gate().compiling;
  isCounted = true;
}

static void leave() {
  std::lock_guard lock(gate().mutex);
  --gate().compiling;
  isCounted = false;
  gate().changed.notify_all();
}

CompileScope::CompileScope() {
  if (depth++ == 0)
    enter();
}
CompileScope::~CompileScope() {
  if (--depth == 0)
    leave();
}

CompilePause::CompilePause() : paused_(isCounted) {
  if (paused_)
    leave();
}
CompilePause::~CompilePause() {
  if (paused_)
    enter();
}

} // namespace tilewise
