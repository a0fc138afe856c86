// The peers' threads: as many as the engine uses, kept between calls, each with its share of the
// work and a core of its own. Left to a virtual machine's scheduler, a worker that is woken shares
// its caller's core for milliseconds, as the engine's would (src/runtime/ThreadPool.h).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bench {

class Team {
public:
  explicit Team(int threads);
  ~Team();
  int size() const { return int(workers_.size()) + 1; }

  /// share(first, last) for each thread's part of [0, count), rounded to `step`.
  void split(size_t count, size_t step, const std::function<void(size_t, size_t)> &share);

private:
  void work(int index);
  void placeAround(int core);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int)> *task_ = nullptr;
  size_t epoch_ = 0;
  int placedAround_ = -1; ///< The caller's core when the workers got theirs.
  int running_ = 0;
  bool isOver_ = false;
};

/// TILEWISE_NUM_THREADS, else the cores that the process may use.
int threadsOfTheEngine();
Team &team();

} // namespace bench
