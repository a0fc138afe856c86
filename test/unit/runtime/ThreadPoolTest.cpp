// The thread pool: every program once, in order, from several threads, nested, and after fork.
#include "runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using tilewise::ThreadPool;

namespace {

std::vector<int> countVisits(ThreadPool &pool, uint64_t programs) {
  std::vector<int> visits(programs);
  pool.run(programs, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      ++visits[i];
  });
  return visits;
}

TEST(ThreadPool, RunsEveryProgramOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (uint64_t programs : {0ull, 1ull, 2ull, 3ull, 17ull, 1000ull, 100003ull})
      EXPECT_EQ(countVisits(pool, programs), std::vector<int>(programs, 1))
          << threads << " threads, " << programs << " programs";
  }
}

TEST(ThreadPool, OneProgramRunsOnTheCaller) {
  ThreadPool pool(4);
  std::thread::id where;
  pool.run(1, [&](uint64_t, uint64_t) { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

// Each program waits for its predecessor: this ends only if programs start in increasing order.
TEST(ThreadPool, AProgramMayWaitOnALowerOne) {
  ThreadPool pool(3);
  constexpr uint64_t kPrograms = 500;
  std::atomic<uint64_t> finished{0};
  pool.run(kPrograms, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      while (finished.load() != i)
        std::this_thread::yield();
      finished.store(i + 1);
    }
  });
  EXPECT_EQ(finished.load(), kPrograms);
}

TEST(ThreadPool, WorkersHelp) {
  ThreadPool pool(2);
  std::atomic<int> inside{0};
  // Ends only if two threads are inside at once.
  pool.run(2, [&](uint64_t begin, uint64_t end) {
    ASSERT_EQ(end - begin, 1u);
    inside.fetch_add(1);
    while (inside.load() < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(inside.load(), 2);
}

// The scheduler of a virtual machine would wake workers on their caller's core.
TEST(ThreadPool, WorkersKeepOffTheirCallersCore) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE && cores.size() < 2; ++core)
    if (CPU_ISSET(core, &before))
      cores.push_back(core);
  if (cores.size() < 2)
    GTEST_SKIP() << "there is one core";
  ThreadPool pool(2);
  const std::thread::id caller = std::this_thread::get_id();
  auto maskOfWorker = [&] {
    cpu_set_t mask;
    std::atomic<int> inside{0};
    pool.run(2, [&](uint64_t, uint64_t) {
      if (std::this_thread::get_id() != caller)
        EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
      inside.fetch_add(1);
      while (inside.load() < 2)
        std::this_thread::yield();
    });
    return mask;
  };
  maskOfWorker(); // Its thread begins with the mask that the caller has then.
  for (int round = 0; round < 4; ++round) {
    const int here = cores[round % 2], there = cores[1 - round % 2];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    // A worker that has not fallen asleep yet stays where it is.
    cpu_set_t mask;
    for (int attempt = 0; attempt < 1000; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      mask = maskOfWorker();
      if (!CPU_ISSET(here, &mask))
        break;
    }
    EXPECT_FALSE(CPU_ISSET(here, &mask)) << round;
    EXPECT_TRUE(CPU_ISSET(there, &mask)) << round;
    EXPECT_EQ(CPU_COUNT(&mask), CPU_COUNT(&before) - 1) << round;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(ThreadPool, LaunchesMayNest) {
  ThreadPool pool(3);
  std::atomic<uint64_t> sum{0};
  pool.run(40, [&](uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      pool.run(25, [&](uint64_t innerBegin, uint64_t innerEnd) {
        for (uint64_t j = innerBegin; j < innerEnd; ++j)
          sum.fetch_add(i * 25 + j);
      });
  });
  EXPECT_EQ(sum.load(), 1000u * 999 / 2);
}

TEST(ThreadPool, ManyThreadsMayLaunchAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> hosts;
  std::atomic<int> wrong{0};
  for (int host = 0; host < 4; ++host)
    hosts.emplace_back([&, host] {
      for (int round = 0; round < 200; ++round) {
        const uint64_t programs = 1 + (host * 31 + round * 7) % 90;
        if (countVisits(pool, programs) != std::vector<int>(programs, 1))
          wrong.fetch_add(1);
      }
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(wrong.load(), 0);
}

// With as many callers as the pool has threads, workers stay out: each may end the chunk it is in
// when a caller comes, and begins none. Programs sleep, so that a worker that should stay out has
// the time to come.
TEST(ThreadPool, CallersTakeThePlacesOfWorkers) {
  constexpr int kThreads = 2, kPrograms = 60;
  ThreadPool pool(kThreads);
  std::atomic<int> tooMany{0}, programs{0};
  std::vector<std::thread> hosts;
  for (int host = 0; host < kThreads; ++host)
    hosts.emplace_back([&] {
      struct {
        std::thread::id caller;
        ThreadPool &pool;
        std::atomic<int> &tooMany, &programs;
      } job{std::this_thread::get_id(), pool, tooMany, programs};
      pool.run(kPrograms,
               [](void *context, uint64_t begin, uint64_t end) {
                 auto &shared = *static_cast<decltype(job) *>(context);
                 if (std::this_thread::get_id() != shared.caller && shared.pool.running() > unsigned(kThreads))
                   ++shared.tooMany;
                 shared.programs += int(end - begin);
                 std::this_thread::sleep_for(std::chrono::milliseconds(1));
               },
               &job, {.oneByOne = true});
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(programs.load(), kPrograms * kThreads);
  EXPECT_LE(tooMany.load(), kThreads);
}

TEST(ThreadPool, NoMoreThreadsRunThanThereAreAndCallers) {
  for (int callers : {1, 2, 4}) {
    constexpr int kThreads = 3;
    ThreadPool pool(kThreads);
    std::atomic<int> running{0}, most{0};
    std::vector<std::thread> hosts;
    for (int host = 0; host < callers; ++host)
      hosts.emplace_back([&] {
        for (int round = 0; round < 50; ++round)
          pool.run(20, [&](uint64_t, uint64_t) {
            const int now = running.fetch_add(1) + 1;
            for (int before = most.load(); before < now && !most.compare_exchange_weak(before, now);)
              ;
            std::this_thread::yield();
            running.fetch_sub(1);
          });
      });
    for (std::thread &host : hosts)
      host.join();
    EXPECT_LE(most.load(), kThreads - 1 + callers);
    EXPECT_EQ(pool.running(), 0u);
  }
}

TEST(ThreadPool, ACallerThatWaitsIsAsked) {
  ThreadPool pool(2);
  struct {
    std::atomic<bool> asked{false}, helped{false};
    std::thread::id caller = std::this_thread::get_id();
  } state;
  // The worker's program ends only when the caller, which has nothing to do, was asked.
  for (int round = 0; round < 20 && !state.helped; ++round)
    pool.run(2,
             [](void *context, uint64_t, uint64_t) {
               auto &shared = *static_cast<decltype(state) *>(context);
               if (std::this_thread::get_id() == shared.caller)
                 return;
               shared.helped = true;
               while (!shared.asked)
                 std::this_thread::yield();
             },
             &state, {.whileWaiting = [](void *context) { static_cast<decltype(state) *>(context)->asked = true; }});
  EXPECT_EQ(state.asked.load(), state.helped.load());
}

TEST(ThreadPool, SurvivesFork) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer forbids new threads after fork";
#endif
  ThreadPool &pool = ThreadPool::instance();
  ASSERT_EQ(countVisits(pool, 1000), std::vector<int>(1000, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    _exit(countVisits(pool, 1000) == std::vector<int>(1000, 1) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child's status is " << status;
  EXPECT_EQ(countVisits(pool, 1000), std::vector<int>(1000, 1));
}

TEST(ThreadPool, UsesAtLeastOneCore) { EXPECT_GE(tilewise::usableCores(), 1u); }

} // namespace
