// Hands out a launch's programs to the threads that run it: in increasing order, in chunks.
//
//     100 programs, 2 threads:  [0, 12) [12, 23) [23, 32) ... [97, 98) [98, 99) [99, 100)
//
// A chunk is a quarter of a fair share of the rest, so that threads finish together; at least a
// 64th of a share of the whole, so that many tiny programs do not fight over the counter. A thread
// runs its chunk in order and takes the next when it is done. So the lowest program that has not
// ended is always running, and a program may wait on any lower one: it ends, because the lowest
// waits on nobody. Kernels that do wait get their programs one by one: in chunks a program would
// wait for the whole chunk before its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tilewise {

class ProgramQueue {
public:
  ProgramQueue(uint64_t count, unsigned threads, bool oneByOne)
      : count_(count), share_(uint64_t(threads) * 4), least_(std::max<uint64_t>(1, count / (uint64_t(threads) * 64))),
        oneByOne_(oneByOne) {}

  bool hasWork() const { return next_.load(std::memory_order_relaxed) < count_; }

  /// The next chunk; false when all programs are taken.
  bool take(uint64_t &begin, uint64_t &end) {
    begin = next_.load(std::memory_order_relaxed);
    while (begin < count_) {
      const uint64_t rest = count_ - begin;
      end = begin + (oneByOne_ ? 1 : std::min(rest, std::max(least_, rest / share_)));
      if (next_.compare_exchange_weak(begin, end, std::memory_order_relaxed))
        return true;
    }
    return false;
  }

private:
  const uint64_t count_, share_, least_;
  const bool oneByOne_;
  std::atomic<uint64_t> next_{0};
};

} // namespace tilewise
