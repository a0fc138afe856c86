// Workers, the list of jobs, and what fork() needs.
#include "runtime/ThreadPool.h"

#include "support/Knobs.h"

#include <algorithm>
#include <cstdio>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

namespace tilewise {

// A worker that found nothing to do looks again this often before it sleeps: about 10 us, the price of waking it again. Kernels launched
// back to back then find their workers awake.
static constexpr unsigned kSpins = 400;

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct ThreadPool::Job {
  const uint64_t count;
  const unsigned threads;
  const Body body;
  void *const context;
  std::atomic<uint64_t> next{0};
  std::atomic<unsigned> helpers{0}; ///< Workers inside this job; changed only under the pool's mutex.
  Job *later = nullptr;             ///< The list's link; guarded by the pool's mutex.

  bool hasWork() const { return next.load(std::memory_order_relaxed) < count; }

  /// Takes chunks until none is left. A chunk is a quarter of a fair share of the rest; at least a 64th of a share of the whole, so that
  /// many tiny programs do not fight over `next`.
  void help() {
    const uint64_t least = std::max<uint64_t>(1, count / (uint64_t(threads) * 64));
    uint64_t begin = next.load(std::memory_order_relaxed);
    while (begin < count) {
      const uint64_t chunk = std::min(count - begin, std::max(least, (count - begin) / (uint64_t(threads) * 4)));
      if (!next.compare_exchange_weak(begin, begin + chunk, std::memory_order_relaxed))
        continue;
      body(context, begin, begin + chunk);
      begin = next.load(std::memory_order_relaxed);
    }
  }
};

ThreadPool &ThreadPool::instance() {
  static ThreadPool *pool = [] {
    auto *made = new ThreadPool(knobs::numThreads().value_or(usableCores()));
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    return made;
  }();
  return *pool;
}

ThreadPool::ThreadPool(unsigned threads) : threads_(std::max(1u, threads)) {}

ThreadPool::~ThreadPool() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  wake_.notify_all();
  done_.wait(lock, [&] { return workers_ == 0; });
}

void ThreadPool::run(uint64_t count, Body body, void *context) {
  if (count == 0)
    return;
  if (count == 1 || threads_ == 1)
    return body(context, 0, count);

  Job job{count, threads_, body, context};
  {
    std::lock_guard lock(mutex_);
    startWorkers();
    Job **end = &jobs_;
    while (*end)
      end = &(*end)->later;
    *end = &job;
    jobCount_.fetch_add(1, std::memory_order_relaxed);
    const uint64_t wanted = std::min<uint64_t>(count - 1, sleeping_);
    for (uint64_t i = 0; i < wanted; ++i)
      wake_.notify_one();
  }
  job.help();

  {
    std::lock_guard lock(mutex_);
    for (Job **link = &jobs_; *link; link = &(*link)->later)
      if (*link == &job) {
        *link = job.later;
        jobCount_.fetch_sub(1, std::memory_order_relaxed);
        break;
      }
  }
  // Chunks shrink, so the last helper is seldom far behind. Its last touch of the job is the decrement that ends this wait.
  auto isDone = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
  for (unsigned spin = 0; spin < kSpins && !isDone(); ++spin)
    pause();
  if (isDone())
    return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, isDone);
}

ThreadPool::Job *ThreadPool::jobWithWork() {
  Job *job = jobs_;
  while (job && !job->hasWork())
    job = job->later;
  return job;
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (Job *job = jobWithWork()) {
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      job->help();
      lock.lock();
      if (job->helpers.fetch_sub(1, std::memory_order_release) == 1)
        done_.notify_all();
      continue;
    }
    // Jobs whose programs are all taken stay listed until their callers return; to spin for those is as good as for new ones.
    lock.unlock();
    for (unsigned spin = 0; spin < kSpins && jobCount_.load(std::memory_order_relaxed) == 0; ++spin)
      pause();
    lock.lock();
    if (ending_ || jobWithWork())
      continue;
    ++sleeping_;
    wake_.wait(lock);
    --sleeping_;
  }
  --workers_;
  done_.notify_all();
}

void *ThreadPool::workerMain(void *pool) {
  static_cast<ThreadPool *>(pool)->work();
  return nullptr;
}

/// Called with the mutex held. Fewer threads than wanted is fine: callers do what workers do not.
void ThreadPool::startWorkers() {
  if (workers_ == threads_ - 1)
    return;
  // Signals belong to the host's threads; those that a fault raises must stay open, since a blocked one kills the process.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&blocked, fault);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  while (workers_ < threads_ - 1) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, workerMain, this) != 0)
      break;
    pthread_setname_np(thread, "tilewise");
    pthread_detach(thread);
    ++workers_;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// fork() copies only the calling thread. The lock is held across it, so that the child sees a whole pool; the child then forgets the
// workers and the jobs of threads that it does not have, and starts workers of its own when it first needs them.
void ThreadPool::beforeFork() { instance().mutex_.lock(); }
void ThreadPool::afterForkInParent() { instance().mutex_.unlock(); }
void ThreadPool::afterForkInChild() {
  ThreadPool &pool = instance();
  pool.jobs_ = nullptr;
  pool.jobCount_.store(0, std::memory_order_relaxed);
  pool.workers_ = 0;
  pool.sleeping_ = 0;
  // The condition variables still count waiters that are gone.
  new (&pool.wake_) std::condition_variable;
  new (&pool.done_) std::condition_variable;
  pool.mutex_.unlock();
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
