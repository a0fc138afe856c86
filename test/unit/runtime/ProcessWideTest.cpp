// What a process has one of, and a child that is forked while another thread makes it.
#include "runtime/ProcessWide.h"

#include <gtest/gtest.h>

#include <semaphore>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewise;

namespace {

std::binary_semaphore isBeingMade{0}, mayBeMade{0};
thread_local bool isSlow = false;
std::atomic<int> destroyed{0};

struct Slow {
  std::mutex mutex;
  const pid_t maker = getpid();
  const bool bySlowThread = isSlow;

  Slow() {
    if (!isSlow)
      return;
    isBeingMade.release();
    mayBeMade.acquire();
  }
  ~Slow() { ++destroyed; }
};

constinit ProcessWide<Slow, ForkLock::Profile> slow;

TEST(ProcessWide, NobodyWaitsForAMaker) {
  std::thread maker([] {
    isSlow = true;
    // It comes second, and takes what is there by then.
    EXPECT_FALSE(slow->bySlowThread);
  });
  isBeingMade.acquire();
  const pid_t child = fork();
  if (child == 0)
    _exit(slow->maker == getpid() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const Slow *mine = &slow.get();
  mayBeMade.release();
  maker.join();
  EXPECT_EQ(&slow.get(), mine);
  EXPECT_EQ(destroyed, 1);
}

} // namespace
