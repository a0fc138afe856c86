// Workers, the list of jobs, and what fork() needs.
#include "runtime/ThreadPool.h"

#include "runtime/Log.h"
#include "runtime/ProcessWide.h"
#include "runtime/ProgramQueue.h"
#include "runtime/Watchdog.h"
#include "support/Knobs.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <utility>

namespace tilewise {

// A worker that found nothing to do goes on looking for as long as it takes to wake all of 15
// again. Kernels launched back to back then find their workers awake. By the clock: a pause is 140
// cycles on Intel's servers and 60 on AMD's, where a thousand of them were over after 21 us.
static constexpr std::chrono::microseconds kSpinning{50};

/// Between two questions of a waiting caller.
static constexpr std::chrono::milliseconds kWaitingPause{20};

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Until the answer is yes or the time is over.
template <typename Question> static void spinUntil(const Question &isOver) {
  constexpr unsigned kPausesPerLook = 16; // at the clock, which takes as long as one
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + kSpinning;
  do {
    for (unsigned i = 0; i < kPausesPerLook; ++i) {
      if (isOver())
        return;
      pause();
    }
  } while (Clock::now() < end);
}

/// How often this thread is inside jobs, of any pool: a launch inside another runs on a thread that
/// is already counted.
static thread_local constinit unsigned depth = 0;

InsidePrograms::InsidePrograms() { ++depth; }
InsidePrograms::~InsidePrograms() { --depth; }
bool InsidePrograms::isAnywhere() { return depth > 0; }

/// A worker's place in the pool; all but the condition variable is guarded by the pool's mutex.
struct ThreadPool::Worker {
  ThreadPool *pool = nullptr;
  std::condition_variable wake;
  pthread_t thread = {};
  int avoided = -1;       ///< The core that it was told to keep off.
  Worker *next = nullptr; ///< The list of sleepers.
  bool isAsleep = false;

  /// Takes `core` out of the thread's affinity mask, and puts back what was out before; a mask that
  /// would be empty stays as it is.
  void keepOff(int core) {
    cpu_set_t mask;
    if (core < 0 || core == avoided || pthread_getaffinity_np(thread, sizeof mask, &mask) != 0)
      return;
    if (avoided >= 0)
      CPU_SET(avoided, &mask);
    CPU_CLR(core, &mask);
    if (CPU_COUNT(&mask) > 0 && pthread_setaffinity_np(thread, sizeof mask, &mask) == 0)
      avoided = core;
  }
};

struct ThreadPool::Job {
  ProgramQueue queue;
  const Body body;
  void *const context;
  /// Workers inside this job; changed only under the pool's mutex.
  std::atomic<unsigned> helpers{0};
  Job *later = nullptr; ///< The list's link; guarded by the pool's mutex.

  /// Takes chunks until none is left, or `mayGoOn` says no.
  template <typename Question> void help(const Question &mayGoOn) {
    const InsidePrograms counted;
    for (uint64_t begin, end; mayGoOn() && queue.take(begin, end);)
      body(context, begin, end);
  }
};

struct ThreadPool::OfProcess {
  ThreadPool pool{knobs::numThreads().value_or(usableCores())};
  std::mutex &mutex = pool.mutex_;

  OfProcess() {
    static constinit std::atomic_flag areTold = ATOMIC_FLAG_INIT;
    if (!areTold.test_and_set())
      for (const std::string &problem : knobs::problems())
        log(TW_LOG_WARNING, problem);
  }
  void afterForkInChild() { pool.forgetOtherThreads(); }
};

static constinit ProcessWide<ThreadPool::OfProcess, ForkLock::Pool> ofProcess;
[[maybe_unused]] static const bool isForkReady = ofProcess.registerForFork<ofProcess>();
ThreadPool &ThreadPool::instance() { return ofProcess.get().pool; }

ThreadPool::ThreadPool(unsigned threads) : threads_(std::max(1u, threads)) {}

ThreadPool::~ThreadPool() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  wake(lock, threads_);
  done_.wait(lock, [&] { return workers_ == 0; });
}

void ThreadPool::run(uint64_t count, Body body, void *context, Manner manner) {
  if (count == 0)
    return;
  if (count == 1 || threads_ == 1)
    return body(context, 0, count);

  Job job{{count, threads_, manner.oneByOne}, body, context};
  const unsigned counted = depth == 0 ? 1 : 0;
  {
    std::unique_lock lock(mutex_);
    startWorkers();
    Job **end = &jobs_;
    while (*end)
      end = &(*end)->later;
    *end = &job;
    jobsBegun_.fetch_add(1, std::memory_order_relaxed);
    const unsigned running = running_.load(std::memory_order_relaxed) + counted;
    running_.store(running, std::memory_order_relaxed);
    const uint64_t free = running < threads_ ? threads_ - running : 0;
    callersCore_ = placesWorkers_ ? sched_getcpu() : -1;
    wake(lock, std::min<uint64_t>(count - 1, free));
  }
  job.help([] { return true; });

  {
    std::unique_lock lock(mutex_);
    for (Job **link = &jobs_; *link; link = &(*link)->later)
      if (*link == &job) {
        *link = job.later;
        break;
      }
    running_.store(running_.load(std::memory_order_relaxed) - counted, std::memory_order_relaxed);
    wake(lock, 1);
  }
  // Chunks shrink, so the last helper is seldom far behind. Its last touch of the job is the
  // decrement that ends this wait.
  auto isDone = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
  spinUntil(isDone);
  if (isDone())
    return;
  std::unique_lock lock(mutex_);
  if (!manner.whileWaiting)
    return done_.wait(lock, isDone);
  while (!done_.wait_for(lock, kWaitingPause, isDone)) {
    lock.unlock();
    manner.whileWaiting(context);
    lock.lock();
  }
}

/// Called with the mutex held: the oldest job that a worker may help now, or null.
ThreadPool::Job *ThreadPool::jobToHelp() {
  if (running_.load(std::memory_order_relaxed) >= threads_)
    return nullptr;
  Job *job = jobs_;
  while (job && !job->queue.hasWork())
    job = job->later;
  return job;
}

/// Called with the mutex held, which is given back meanwhile: `count` sleepers are wanted, as long
/// as there is a job for them. Wakes two, those first that slept last; each of them will wake two
/// more.
void ThreadPool::wake(std::unique_lock<std::mutex> &lock, uint64_t count) {
  wanted_ = std::max(wanted_, count);
  if (!ending_ && !jobToHelp())
    wanted_ = 0;
  Worker *woken[2];
  unsigned size = 0;
  for (; wanted_ > 0 && sleepers_ && size < 2; --wanted_) {
    Worker &worker = *sleepers_;
    sleepers_ = worker.next;
    worker.isAsleep = false;
    worker.keepOff(callersCore_);
    woken[size++] = &worker;
  }
  if (!sleepers_)
    wanted_ = 0;
  if (size == 0)
    return;
  lock.unlock();
  for (unsigned i = 0; i < size; ++i)
    woken[i]->wake.notify_one();
  lock.lock();
}

void ThreadPool::work(Worker &self) {
  std::unique_lock lock(mutex_);
  self.thread = pthread_self();
  while (!ending_) {
    if (Job *job = jobToHelp()) {
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      running_.store(running_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      lock.unlock();
      job->help([&] { return running_.load(std::memory_order_relaxed) <= threads_; });
      lock.lock();
      running_.store(running_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      if (job->helpers.fetch_sub(1, std::memory_order_release) == 1)
        done_.notify_all();
      continue;
    }
    const uint32_t seen = jobsBegun_.load(std::memory_order_relaxed);
    lock.unlock();
    spinUntil([&] { return jobsBegun_.load(std::memory_order_relaxed) != seen; });
    lock.lock();
    if (ending_ || jobToHelp())
      continue;
    self.next = std::exchange(sleepers_, &self);
    self.isAsleep = true;
    self.wake.wait(lock, [&] { return !self.isAsleep; });
    wake(lock, 0);
  }
  --workers_;
  done_.notify_all();
}

void *ThreadPool::workerMain(void *worker) {
  auto *self = static_cast<Worker *>(worker);
  self->pool->work(*self);
  return nullptr;
}

/// Called with the mutex held. Fewer threads than wanted is fine: callers do what workers do not.
void ThreadPool::startWorkers() {
  if (workers_ == threads_ - 1)
    return;
  cpu_set_t mask;
  placesWorkers_ = sched_getaffinity(0, sizeof mask, &mask) == 0 && unsigned(CPU_COUNT(&mask)) >= threads_;
  if (!places_)
    places_.reset(new Worker[threads_ - 1]);
  const HostSignalsBlocked blocked;
  while (workers_ < threads_ - 1) {
    pthread_t thread;
    Worker &worker = places_[workers_];
    worker.pool = this;
    if (pthread_create(&thread, nullptr, workerMain, &worker) != 0)
      break;
    pthread_setname_np(thread, "tilewise");
    pthread_detach(thread);
    ++workers_;
  }
}

HostSignalsBlocked::HostSignalsBlocked() {
  sigset_t blocked;
  sigfillset(&blocked);
  // A fault whose signal is blocked kills the process without a word.
  for (int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, kLeaveSignal})
    sigdelset(&blocked, open);
  pthread_sigmask(SIG_SETMASK, &blocked, &before_);
}
HostSignalsBlocked::~HostSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

// fork() copies only the calling thread. The lock is held across it, so that the child sees a whole
// pool; the child then forgets the workers and the jobs of threads that it does not have, and
// starts workers of its own when it first needs them.
void ThreadPool::forgetOtherThreads() {
  // A job of this thread, which then forked inside a program, must not wait for helpers that are
  // gone.
  for (Job *job = jobs_; job; job = job->later)
    job->helpers.store(0, std::memory_order_relaxed);
  jobs_ = nullptr;
  running_.store(depth > 0 ? 1 : 0, std::memory_order_relaxed);
  workers_ = 0;
  wanted_ = 0;
  sleepers_ = nullptr;
  // The condition variables still count waiters that are gone.
  new (&done_) std::condition_variable;
  (void)places_.release();
}

unsigned usableCores() {
  cpu_set_t mask;
  unsigned cores = sched_getaffinity(0, sizeof mask, &mask) == 0 ? unsigned(CPU_COUNT(&mask)) : 1u;
  if (FILE *file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    long long quota = 0, period = 0;
    if (std::fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0)
      cores = std::min<unsigned>(cores, unsigned((quota + period - 1) / period));
    std::fclose(file);
  }
  return std::max(1u, cores);
}

} // namespace tilewise
