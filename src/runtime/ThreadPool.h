// The CPU engine's threads: run a numbered range of programs on all of them, starting programs in
// increasing order.
//
// Our own, because the engine needs four things together that LLVM's pool, OpenMP and oneTBB each
// lack one of: programs start in increasing linear id (so that a program may wait on a lower one),
// the caller works too and never waits for a free worker (so nested and concurrent launches cannot
// deadlock), nothing is allocated per run, and the pool survives fork(). docs/architecture.md
// compares them.
//
//     run(10 programs), 2 threads:  caller takes [0, 1)   worker takes [1, 2)   caller takes [2, 3) ...
//
// A job lives on its caller's stack and hands out chunks of its range (ProgramQueue.h). Any number
// of jobs may be under way: workers help the oldest that has programs left, each caller at least
// helps its own.
//
// No more than `threads` threads run programs at once, as long as no more than that launch: a
// worker begins a chunk only while fewer are running, and leaves its job after the chunk when
// callers have come. A caller always runs, since only it knows what waits for it.
//
// Whoever is awake wakes two, and these two more each: the last of 15 sleeping workers is woken
// after four steps. One that woke them all would spend 40 us before its own first program, on 16
// cores of a virtual machine.
//
// A worker that is woken keeps off its caller's core. Linux likes to wake a thread next to its
// waker, unless it sees an idle core; but a virtual machine's core that halts counts as one that
// its host has taken away, and not as idle. Caller and worker then share a core for milliseconds,
// and the other one sleeps: 2.1 ms for a product of 512 x 512 x 512 that takes 1.0 ms on two cores.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <signal.h>
#include <type_traits>

namespace tilewise {

class ThreadPool {
public:
  /// Runs the programs [begin, end) of a job.
  using Body = void (*)(void *context, uint64_t begin, uint64_t end);

  /// How a job is run, beyond its programs.
  struct Manner {
    bool oneByOne = false; ///< Programs wait for each other, see ProgramQueue.h.
    /// Called with the context on the caller, some 50 times a second, while it waits for workers.
    void (*whileWaiting)(void *context) = nullptr;
  };

  /// The process's pool. Its threads start with the first run that can use them; it is never
  /// destroyed, since threads may outlive main.
  static ThreadPool &instance();
  struct OfProcess;

  /// A pool of `threads`, the callers' own counted as one.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Calls `body` for chunks that together are [0, count), and returns when all have returned.
  void run(uint64_t count, Body body, void *context, Manner manner);
  void run(uint64_t count, Body body, void *context) { run(count, body, context, Manner{}); }

  template <typename Function> void run(uint64_t count, Function &&function) {
    run(
        count,
        [](void *context, uint64_t begin, uint64_t end) {
          (*static_cast<std::remove_reference_t<Function> *>(context))(begin, end);
        },
        &function);
  }

  unsigned threads() const { return threads_; }
  /// Threads inside jobs of more than one program, callers and workers.
  unsigned running() const { return running_.load(std::memory_order_relaxed); }

private:
  struct Job;
  struct Worker;

  void startWorkers();
  void work(Worker &self);
  void wake(std::unique_lock<std::mutex> &lock, uint64_t count);
  Job *jobToHelp();
  static void *workerMain(void *worker);
  void forgetOtherThreads();

  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable done_;       ///< A worker left a job, or ended.
  std::atomic<uint32_t> jobsBegun_{0}; ///< For workers that spin without the lock.
  Job *jobs_ = nullptr;                ///< Oldest first.
  std::atomic<unsigned> running_{0};   ///< Changed only under the mutex.
  Worker *sleepers_ = nullptr;         ///< The one that slept last first.
  uint64_t wanted_ = 0;                ///< Sleepers that are still to be woken.
  /// Of the last job's caller, where there is a core for every thread.
  int callersCore_ = -1;
  std::unique_ptr<Worker[]> places_; ///< Of as many workers as there may be.
  unsigned workers_ = 0;
  bool placesWorkers_ = false; ///< There is a core for every thread.
  bool ending_ = false;
};

/// Marks the calling thread as running programs of a launch while it lives; a launch from there is
/// inside that one.
class InsidePrograms {
public:
  InsidePrograms();
  ~InsidePrograms();
  InsidePrograms(const InsidePrograms &) = delete;
  InsidePrograms &operator=(const InsidePrograms &) = delete;
  static bool isAnywhere();
};

/// Signals that a thread of the library leaves to the host's: all but faults, and the one that ends
/// kernels (Watchdog.h). Blocks them for the calling thread, and so for those that it starts, while
/// it lives.
class HostSignalsBlocked {
public:
  HostSignalsBlocked();
  ~HostSignalsBlocked();
  HostSignalsBlocked(const HostSignalsBlocked &) = delete;
  HostSignalsBlocked &operator=(const HostSignalsBlocked &) = delete;

private:
  sigset_t before_;
};

/// Cores that this process may use: its affinity mask, cut down to its control group's quota.
unsigned usableCores();

} // namespace tilewise
