// The count of compiles under way, and what fork() does before and after.
#include "runtime/Fork.h"

#include <array>
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
  std::array<Handlers, size_t(ForkLock::Profile) + 1> handlers{};
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
  for (const Handlers &each : gate().handlers)
    if (each.before)
      each.before();
  lock.release();
}

static void afterForkInParent() {
  for (const Handlers &each : gate().handlers)
    if (each.inParent)
      each.inParent();
  gate().forking = false;
  gate().changed.notify_all();
  gate().mutex.unlock();
}

static void afterForkInChild() {
  for (const Handlers &each : gate().handlers)
    if (each.inChild)
      each.inChild();
  gate().forking = false;
  gate().compiling = isCounted ? 1 : 0;
  // It still counts waiters that are gone.
  new (&gate().changed) std::condition_variable;
  gate().mutex.unlock();
}

/// Made while the library is loaded, by the first who registers.
static Gate &gate() {
  static Gate *made = [] {
    auto *all = new Gate;
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    return all;
  }();
  return *made;
}

bool onFork(ForkLock lock, void (*before)(), void (*inParent)(), void (*inChild)()) {
  gate().handlers[size_t(lock)] = {before, inParent, inChild};
  return true;
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
