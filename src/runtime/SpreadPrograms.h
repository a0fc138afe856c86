// Spreads the programs of a CPU launch over threads: the pool's, the host's own by its executor, or
// one thread for each program.
//
// The last is a cooperative launch: all programs live at once, so each may wait for any other, as
// after a barrier over the grid. A program that waits spins inside machine code, so nothing but a
// thread of its own can let another one run; with more programs than cores the system takes turns.
// A barrier then costs milliseconds, so there is a limit, beyond which it would hardly be meant.
#pragma once

#include "runtime/ThreadPool.h"
#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <string>

namespace tilewise {

inline constexpr uint64_t kMostCooperativePrograms = 1024;

struct GridRun {
  uint64_t programs;
  ThreadPool::Body body;
  void *context;
  ThreadPool::Manner manner;
  bool cooperative = false;
  bool onCaller = false; ///< Not cooperatively, and on no thread but the caller's.
};

/// Returns when all programs have. `kernel` is for messages.
Result<void> runGrid(const std::string &kernel, const GridRun &run);

/// How many threads a launch of several programs from the calling thread has.
unsigned threadsOfLaunch();

/// Null: the pool again.
Result<void> setExecutor(const tw_executor *executor);

} // namespace tilewise
