// A team of threads that wait for work.
#include "Team.h"

#include <algorithm>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>

namespace bench {

Team::Team(int threads) {
  for (int i = 1; i < threads; ++i)
    workers_.emplace_back([this, i] { work(i); });
}

Team::~Team() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  start_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

void Team::work(int index) {
  for (size_t seen = 0;;) {
    const std::function<void(int)> *task;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return isOver_ || epoch_ != seen; });
      if (isOver_)
        return;
      seen = epoch_;
      task = task_;
    }
    (*task)(index);
    std::lock_guard lock(mutex_);
    if (--running_ == 0)
      done_.notify_one();
  }
}

void Team::placeAround(int core) {
  cpu_set_t usable;
  if (core == placedAround_ || sched_getaffinity(0, sizeof usable, &usable) != 0)
    return;
  placedAround_ = core;
  CPU_CLR(core, &usable);
  int next = -1;
  for (std::thread &worker : workers_) {
    do
      ++next;
    while (next < CPU_SETSIZE && !CPU_ISSET(next, &usable));
    if (next == CPU_SETSIZE)
      return; // More threads than cores.
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(next, &one);
    pthread_setaffinity_np(worker.native_handle(), sizeof one, &one);
  }
}

void Team::split(size_t count, size_t step, const std::function<void(size_t, size_t)> &share) {
  const size_t steps = (count + step - 1) / step;
  const std::function<void(int)> task = [&](int index) {
    const size_t first = steps * index / size() * step, last = std::min(steps * (index + 1) / size() * step, count);
    if (first < last)
      share(first, last);
  };
  placeAround(sched_getcpu());
  {
    std::lock_guard lock(mutex_);
    task_ = &task;
    ++epoch_;
    running_ = int(workers_.size());
  }
  start_.notify_all();
  task(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return running_ == 0; });
}

int threadsOfTheEngine() {
  if (const char *text = std::getenv("TILEWISE_NUM_THREADS"); text && std::atoi(text) > 0)
    return std::atoi(text);
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

Team &team() {
  static Team instance(threadsOfTheEngine());
  return instance;
}

} // namespace bench
