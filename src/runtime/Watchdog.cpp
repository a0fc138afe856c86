// The watching thread, what it knows of the threads that run programs, and the signal's handler.
#include "runtime/Watchdog.h"

#include "runtime/CodeMap.h"
#include "runtime/ProcessWide.h"
#include "runtime/ThreadPool.h"
#include "support/Knobs.h"

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <new>
#include <pthread.h>
#include <utility>

namespace tilewise {

using Clock = std::chrono::steady_clock;

namespace {
/// A call of compiled code, on the stack of its thread; calls nest when a kernel's print callback
/// launches.
struct Call {
  WatchedLaunch &launch;
  Call *const outer;
  sigjmp_buf leave;
};

/// What the watching thread knows of a thread that runs programs.
struct Watched {
  Watched();
  ~Watched();

  const pthread_t thread = pthread_self();
  std::atomic<uint64_t> calls{0}; ///< Begun and ended together: odd inside a call.
  uint64_t seen = 0;              ///< By the watching thread, under its mutex.
  Watched *next = nullptr;
};
} // namespace

static thread_local constinit Call *current = nullptr;

/// Tells our signals from others'.
static const char kMark = 0;
static struct sigaction handlerBefore;

class Watchdog {
public:
  static Watchdog &instance();

  std::mutex mutex;

  void add(Watched *thread) {
    std::lock_guard lock(mutex);
    thread->next = std::exchange(threads_, thread);
  }
  void remove(Watched *thread) {
    std::lock_guard lock(mutex);
    unlink(threads_, thread, &Watched::next);
  }
  void add(WatchedLaunch *launch) {
    std::lock_guard lock(mutex);
    launch->since_ = Clock::now();
    launch->next_ = std::exchange(launches_, launch);
  }
  void remove(WatchedLaunch *launch) {
    std::lock_guard lock(mutex);
    unlink(launches_, launch, &WatchedLaunch::next_);
  }

  /// By a thread that has just become busy. Its count and the flag are each written before the
  /// other is read, so one of the two threads sees the other.
  void wake() {
    if (!asleep_.load(std::memory_order_seq_cst) || !asleep_.exchange(false, std::memory_order_seq_cst))
      return;
    std::lock_guard lock(mutex);
    if (!isStarted_)
      start();
    wake_.notify_one();
  }

  void setTimes(std::chrono::milliseconds pause, std::chrono::milliseconds stuckAfter) {
    std::lock_guard lock(mutex);
    pause_ = pause;
    stuckAfter_ = stuckAfter;
  }

  /// In the child of a fork: this thread is the only one, and what runs on it is its own.
  void afterForkInChild() {
    for (Watched **link = &threads_; *link;)
      if (pthread_equal((*link)->thread, pthread_self()))
        link = &(*link)->next;
      else
        *link = (*link)->next;
    launches_ = nullptr;
    for (Call *call = current; call; call = call->outer)
      if (call->launch.waits_)
        call->launch.next_ = std::exchange(launches_, &call->launch);
    isStarted_ = false;
    asleep_.store(true, std::memory_order_relaxed);
    new (&wake_) std::condition_variable;
  }

private:
  template <typename T> static void unlink(T *&first, T *gone, T *T::*next) {
    for (T **link = &first; *link; link = &((*link)->*next))
      if (*link == gone) {
        *link = gone->*next;
        return;
      }
  }

  /// Without a thread, which a system may refuse, kernels run on unwatched.
  void start() {
    struct sigaction action = {};
    action.sa_sigaction = onSignal;
    // Open to the next signal: the handler may leave by a jump. On the thread's own stack: it may
    // call the host.
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    struct sigaction before;
    sigaction(kLeaveSignal, &action, &before);
    if (!(before.sa_flags & SA_SIGINFO) || before.sa_sigaction != onSignal)
      handlerBefore = before;

    const HostSignalsBlocked blocked;
    pthread_t thread;
    if (pthread_create(&thread, nullptr, main, this) != 0)
      return;
    pthread_setname_np(thread, "tilewise-watch");
    pthread_detach(thread);
    isStarted_ = true;
  }

  static void *main(void *watch) {
    static_cast<Watchdog *>(watch)->look();
    return nullptr;
  }

  [[noreturn]] void look() {
    constexpr unsigned kIdleLooks = 20; // about a second
    unsigned idle = 0;
    std::unique_lock lock(mutex);
    while (true) {
      idle = isAnyInside() ? 0 : idle + 1;
      if (idle > kIdleLooks) {
        asleep_.store(true, std::memory_order_seq_cst);
        if (isAnyInside())
          asleep_.store(false, std::memory_order_seq_cst);
        else
          wake_.wait(lock, [&] { return !asleep_.load(std::memory_order_relaxed); });
        idle = 0;
      }
      lookAtLaunches();
      for (Watched *thread = threads_; thread; thread = thread->next) {
        const uint64_t calls = thread->calls.load(std::memory_order_relaxed);
        if (calls % 2 != 0 && calls == thread->seen) {
          sigval value;
          value.sival_ptr = const_cast<char *>(&kMark);
          pthread_sigqueue(thread->thread, kLeaveSignal, value);
        }
        thread->seen = calls;
      }
      wake_.wait_for(lock, pause_);
    }
  }

  bool isAnyInside() const {
    for (const Watched *thread = threads_; thread; thread = thread->next)
      if (thread->calls.load(std::memory_order_seq_cst) % 2 != 0)
        return true;
    return false;
  }

  void lookAtLaunches() {
    const Clock::time_point now = Clock::now();
    for (WatchedLaunch *launch = launches_; launch; launch = launch->next_) {
      const WatchedLaunch::Progress progress{launch->begun_.load(std::memory_order_relaxed),
                                             launch->ended_.load(std::memory_order_relaxed)};
      const unsigned inside = launch->inside_.load(std::memory_order_relaxed);
      // when those elsewhere are done
      const bool mayBegin = ThreadPool::instance().running() > inside;
      if (progress != launch->seen_ || progress.begun == launch->programs_ || inside == 0 || mayBegin) {
        launch->seen_ = progress;
        launch->since_ = now;
      } else if (stuckAfter_.count() != 0 && now - launch->since_ >= stuckAfter_) {
        launch->stuck_.store(true, std::memory_order_relaxed);
      }
    }
  }

  static void onSignal(int signal, siginfo_t *info, void *context) {
    if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &kMark) {
      if (handlerBefore.sa_flags & SA_SIGINFO)
        handlerBefore.sa_sigaction(signal, info, context);
      else if (handlerBefore.sa_handler != SIG_DFL && handlerBefore.sa_handler != SIG_IGN)
        handlerBefore.sa_handler(signal);
      return;
    }
    if (!current || !originOf(placeOf(context)).kernel)
      return;
    const int before = errno;
    if (current->launch.isOver())
      siglongjmp(current->leave, 1);
    errno = before;
  }

  std::condition_variable wake_;
  std::atomic<bool> asleep_{true};
  bool isStarted_ = false;
  Watched *threads_ = nullptr;
  WatchedLaunch *launches_ = nullptr; ///< Those that may get stuck.
  std::chrono::milliseconds pause_{50}, stuckAfter_{1000ll * knobs::waitSeconds()};
};

static constinit ProcessWide<Watchdog, ForkLock::Watchdog> ofProcess;
[[maybe_unused]] static const bool isForkReady = ofProcess.registerForFork<ofProcess>();
Watchdog &Watchdog::instance() { return ofProcess.get(); }

/// What is called near zero: a page at least is never mapped there, and hardly anything below 4 GiB
/// is.
static constexpr uintptr_t kNearNull = uintptr_t(1) << 32;

void WatchedLaunch::onFault(const CodeOrigin &origin, int signal, const siginfo_t *info) {
  if (signal != SIGSEGV || info->si_code <= 0 || info->si_code == SI_KERNEL || uintptr_t(info->si_addr) >= kNearNull ||
      !current || !current->launch.hasEmpty_)
    return;
  WatchedLaunch &launch = current->launch;
  if (int none = 0; launch.touched_.compare_exchange_strong(none, kTelling)) {
    char place[512], programs[128];
    tellPlace(origin.place, place, sizeof place);
    tellPrograms(programs, sizeof programs);
    std::snprintf(launch.where_, sizeof launch.where_, "%s%s%s", place, *place && *programs ? "," : "", programs);
    launch.touched_.store(kTold, std::memory_order_release);
  }
  launch.stop();
  // The handler was entered with the signal blocked, and the jump restores no mask.
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
  siglongjmp(current->leave, 1);
}

namespace {
Watched::Watched() { Watchdog::instance().add(this); }
Watched::~Watched() { Watchdog::instance().remove(this); }

Watched &watchedThread() {
  static thread_local Watched thread;
  return thread;
}
} // namespace

WatchedLaunch::WatchedLaunch(Interruption &interruption, bool waits, bool hasEmpty, uint64_t programs)
    : interruption_(interruption), waits_(waits), hasEmpty_(hasEmpty), programs_(programs) {
  if (hasEmpty_)
    setFaultCatcher(onFault);
  if (waits_)
    Watchdog::instance().add(this);
}

WatchedLaunch::~WatchedLaunch() {
  if (waits_)
    Watchdog::instance().remove(this);
}

void WatchedLaunch::enlistThread() { watchedThread(); }

void WatchedLaunch::call(uint64_t programs, void (*body)(void *context), void *context) {
  Watched &thread = watchedThread();
  Call call{*this, current, {}};
  if (waits_) {
    inside_.fetch_add(1, std::memory_order_relaxed);
    begun_.fetch_add(programs, std::memory_order_relaxed);
  }
  current = &call;
  // Inside another call the count is odd already, and stays so.
  const uint64_t step = call.outer ? 2 : 1;
  thread.calls.store(thread.calls.load(std::memory_order_relaxed) + step, std::memory_order_seq_cst);
  Watchdog::instance().wake();
  if (!sigsetjmp(call.leave, 0))
    body(context);
  thread.calls.store(thread.calls.load(std::memory_order_relaxed) + step, std::memory_order_relaxed);
  current = call.outer;
  if (waits_) {
    ended_.fetch_add(programs, std::memory_order_relaxed);
    inside_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void setWatchdogTimes(std::chrono::milliseconds pause, std::chrono::milliseconds stuckAfter) {
  Watchdog::instance().setTimes(pause, stuckAfter);
}

} // namespace tilewise
