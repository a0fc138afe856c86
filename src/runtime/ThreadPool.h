// The CPU engine's threads: run a numbered range of programs on all of them, starting programs in increasing order.
//
// Our own, because the engine needs four things together that LLVM's pool, OpenMP and oneTBB each lack one of: programs start in increasing
// linear id (so that a program may wait on a lower one), the caller works too and never waits for a free worker (so nested and concurrent
// launches cannot deadlock), nothing is allocated per run, and the pool survives fork().
//
//     run(10 programs), 2 threads:  caller takes [0, 1)   worker takes [1, 2)   caller takes [2, 3) ...
//
// A job lives on its caller's stack and hands out chunks of its range; chunks shrink towards the end, so that threads finish together.
// Any number of jobs may be under way: workers help the oldest that has programs left, each caller at least helps its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tilewise {

class ThreadPool {
public:
  /// Runs the programs [begin, end) of a job.
  using Body = void (*)(void *context, uint64_t begin, uint64_t end);

  /// The process's pool. Its threads start with the first run that can use them; it is never destroyed, since threads may outlive main.
  static ThreadPool &instance();

  /// A pool of `threads`, the callers' own counted as one.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Calls `body` for chunks that together are [0, count), and returns when all have returned.
  void run(uint64_t count, Body body, void *context);

  template <typename Function> void run(uint64_t count, Function &&function) {
    run(
        count,
        [](void *context, uint64_t begin, uint64_t end) {
          (*static_cast<std::remove_reference_t<Function> *>(context))(begin, end);
        },
        &function);
  }

  unsigned threads() const { return threads_; }

private:
  struct Job;

  void startWorkers();
  void work();
  Job *jobWithWork();
  static void *workerMain(void *pool);
  static void beforeFork();
  static void afterForkInParent();
  static void afterForkInChild();

  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable wake_;      ///< A job came, or the pool ends.
  std::condition_variable done_;      ///< A worker left a job, or ended.
  std::atomic<uint32_t> jobCount_{0}; ///< Length of the list, for workers that spin without the lock.
  Job *jobs_ = nullptr;               ///< Oldest first.
  unsigned workers_ = 0;
  unsigned sleeping_ = 0;
  bool ending_ = false;
};

/// Cores that this process may use: its affinity mask, cut down to its control group's quota.
unsigned usableCores();

} // namespace tilewise
