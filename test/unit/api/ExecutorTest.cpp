// Launches on the host's own threads: tw_set_executor and setExecutor.
#include "runtime/SpreadPrograms.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewise;

namespace {

const char *const kSquares = R"(
import triton
import triton.language as tl

@triton.jit
def squares(out):
    pid = tl.program_id(0)
    tl.store(out + pid, pid * pid)
)";

/// A thread for each task.
void onThreads(std::size_t count, const std::function<void(std::size_t)> &task) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&task, i] { task(i); });
  for (std::thread &thread : threads)
    thread.join();
}

/// A grid whose programs are chunks of `body(begin, end)`.
template <typename Body> bool runPrograms(uint64_t programs, Body &body) {
  auto call = [](void *context, uint64_t begin, uint64_t end) { (*static_cast<Body *>(context))(begin, end); };
  return bool(runGrid("body", {programs, call, &body, {}}));
}

struct Executor : testing::Test {
  ~Executor() override { api::setExecutor(nullptr); }

  api::Kernel squares = api::Kernel::fromSource(kSquares);
  Tensor out{DType::Int32, {100}};
  bool isRight(int programs) const {
    const std::vector<int> values = out.toVector<int>();
    for (int i = 0; i < 100; ++i)
      if (values[i] != (i < programs ? i * i : 0))
        return false;
    return true;
  }
};

TEST_F(Executor, RunsProgramsOnTheHostsThreadsOnly) {
  std::set<std::thread::id> hosts, seen;
  std::mutex mutex;
  api::setExecutor(
      [&](std::size_t count, const std::function<void(std::size_t)> &task) {
        EXPECT_EQ(count, 3u);
        onThreads(count, [&](std::size_t i) {
          {
            std::lock_guard lock(mutex);
            hosts.insert(std::this_thread::get_id());
          }
          task(i);
        });
      },
      3);
  std::atomic<int> programs{0};
  auto body = [&](uint64_t begin, uint64_t end) {
    std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
    programs += int(end - begin);
  };
  ASSERT_TRUE(runPrograms(1000, body));
  EXPECT_EQ(programs.load(), 1000);
  EXPECT_EQ(hosts.size(), 3u);
  for (std::thread::id one : seen)
    EXPECT_TRUE(hosts.contains(one));
  EXPECT_FALSE(seen.contains(std::this_thread::get_id()));
}

TEST_F(Executor, RunsKernels) {
  int calls = 0;
  api::setExecutor([&](std::size_t count, const std::function<void(std::size_t)> &task) {
    ++calls;
    onThreads(count, task);
  });
  squares[90](out);
  EXPECT_TRUE(isRight(90));
  EXPECT_EQ(calls, 1);
  squares[1](out); // on the caller
  EXPECT_EQ(calls, 1);
  api::setExecutor(nullptr);
  squares[100](out);
  EXPECT_TRUE(isRight(100));
  EXPECT_EQ(calls, 1);
}

// A host that gives a thread the same task at every launch finds its memory in that thread's
// caches.
TEST_F(Executor, GivesEachTaskAShareOfItsOwn) {
  // Where a chunk begins, and the task that has it.
  std::vector<std::pair<uint64_t, int>> seen;
  thread_local int current = -1;
  api::setExecutor(
      [&](std::size_t count, const std::function<void(std::size_t)> &task) {
        std::barrier<> all{std::ptrdiff_t(count)};
        onThreads(count, [&](std::size_t i) {
          current = int(i);
          all.arrive_and_wait();
          task(i);
        });
      },
      4);
  std::mutex mutex;
  std::atomic<int> begun{0};
  auto body = [&](uint64_t begin, uint64_t) {
    {
      std::lock_guard lock(mutex);
      seen.emplace_back(begin, current);
    }
    // Nobody goes on before each has its first chunk.
    if (begun.fetch_add(1) < 4)
      while (begun < 4)
        std::this_thread::yield();
  };
  ASSERT_TRUE(runPrograms(1000, body));
  ASSERT_GE(seen.size(), 4u);
  std::sort(seen.begin(), seen.begin() + 4);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(seen[size_t(i)], std::pair(uint64_t(i) * 250, i));
}

TEST_F(Executor, MayRunTasksOneByOneAndBackwards) {
  api::setExecutor(
      [](std::size_t count, const std::function<void(std::size_t)> &task) {
        for (std::size_t i = count; i-- > 0;)
          task(i);
      },
      4);
  squares[77](out);
  EXPECT_TRUE(isRight(77));
}

TEST_F(Executor, TasksLeftOutRunOnTheCaller) {
  api::setExecutor([](std::size_t, const std::function<void(std::size_t)> &) {}, 4);
  squares[77](out);
  EXPECT_TRUE(isRight(77));
}

TEST_F(Executor, IsAskedHowManyThreadsItHasNow) {
  struct Host {
    uint32_t threads = 2;
    std::vector<std::size_t> tasks;
  } host;
  const tw_executor executor = {sizeof executor, 4,
                                [](void *user, std::size_t count, void (*task)(void *, std::size_t), void *context) {
                                  static_cast<Host *>(user)->tasks.push_back(count);
                                  task(context, 0);
                                  return true;
                                },
                                &host, [](void *user) { return static_cast<Host *>(user)->threads; }};
  ASSERT_EQ(tw_set_executor(&executor), TW_OK);
  for (uint32_t threads : {2u, 1u, 9u, 0u}) {
    host.threads = threads;
    squares[40](out);
  }
  EXPECT_TRUE(isRight(40));
  EXPECT_EQ(host.tasks, (std::vector<std::size_t>{2, 4})) << "one thread is the caller's";
}

// An older program's structure ends before what it did not know.
TEST_F(Executor, MayBeOlder) {
  tw_executor executor = {offsetof(tw_executor, threads_now), 3,
                          [](void *user, std::size_t count, void (*)(void *, std::size_t), void *) {
                            *static_cast<std::size_t *>(user) = count;
                            return true;
                          },
                          nullptr, [](void *) -> uint32_t { std::abort(); }};
  std::size_t tasks = 0;
  executor.user = &tasks;
  ASSERT_EQ(tw_set_executor(&executor), TW_OK);
  squares[40](out);
  EXPECT_TRUE(isRight(40));
  EXPECT_EQ(tasks, 3u);
}

// A child has none of the host's threads.
TEST_F(Executor, IsNotUsedInAForkedChild) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer forbids new threads after fork";
#endif
  std::atomic<int> calls{0};
  api::setExecutor([&](std::size_t count, const std::function<void(std::size_t)> &task) {
    ++calls;
    onThreads(count, task);
  });
  squares[90](out);
  EXPECT_EQ(calls, 1);
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    squares[100](out);
    _exit(calls == 1 && isRight(100) ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  squares[95](out);
  EXPECT_EQ(calls, 2);
}

// A locked addition takes as long as sixteen plain ones, so few threads leave them to one; while
// another launch with atomics runs, it could not be alone.
TEST_F(Executor, AdditionsOfFewThreadsAreDoneByOne) {
  auto additions = api::Kernel::fromSource(R"(
import triton
import triton.language as tl

@triton.jit
def additions(out, x):
    lane = tl.arange(0, 64)
    tl.atomic_add(out + lane, tl.load(x + tl.program_id(0) * 64 + lane))
)");
  Tensor sums(DType::Int32, {64});
  auto x = Tensor::from(std::vector<int>(64 * 50, 3));
  int calls = 0;
  for (unsigned threads : {2u, 64u}) {
    api::setExecutor(
        [&](std::size_t count, const std::function<void(std::size_t)> &task) {
          ++calls;
          onThreads(count, task);
        },
        threads);
    additions[50](sums, x);
    EXPECT_EQ(calls, threads == 2 ? 0 : 1);
  }
  EXPECT_EQ(sums.toVector<int>(), std::vector<int>(64, 2 * 50 * 3));
}

TEST_F(Executor, WhatItThrowsTheLaunchThrows) {
  api::setExecutor(
      [](std::size_t, const std::function<void(std::size_t)> &) { throw std::out_of_range("no threads today"); });
  try {
    squares[10](out);
    FAIL() << "nothing was thrown";
  } catch (const std::out_of_range &error) {
    EXPECT_STREQ(error.what(), "no threads today");
  }
  // The next failure is its own.
  EXPECT_THROW(squares[-1](out), api::LaunchError);
}

TEST_F(Executor, InCAFailureIsALaunchError) {
  tw_executor executor = {sizeof executor, 2, nullptr, nullptr, nullptr};
  EXPECT_EQ(tw_set_executor(&executor), TW_ERROR_LAUNCH);
  EXPECT_STREQ(tw_last_error(), "an executor needs its struct_size and a function `run`");
  int calls = 0;
  executor.user = &calls;
  executor.run = [](void *user, size_t, void (*)(void *, size_t), void *) { return ++*static_cast<int *>(user) > 99; };
  ASSERT_EQ(tw_set_executor(&executor), TW_OK);
  const int64_t grid[] = {10};
  const tw_argument arguments[] = {out.argument()};
  EXPECT_EQ(tw_kernel_launch(squares.get(), tw_cpu(), nullptr, grid, 1, arguments, 1, nullptr), TW_ERROR_LAUNCH);
  EXPECT_STREQ(tw_last_error(), "kernel 'squares': the host's executor failed");
  EXPECT_EQ(calls, 1);
}

// The host's tasks launch, and so do kernels that print.
TEST_F(Executor, LaunchesNest) {
  std::atomic<int> calls{0};
  api::setExecutor([&](std::size_t count, const std::function<void(std::size_t)> &task) {
    ++calls;
    onThreads(count, task);
  });
  std::vector<Tensor> outs;
  for (int i = 0; i < 4; ++i)
    outs.emplace_back(DType::Int32, Shape{50});
  onThreads(4, [&](std::size_t i) { squares[50](outs[i]); });
  for (Tensor &each : outs)
    EXPECT_EQ(each.toVector<int>()[49], 49 * 49);
  EXPECT_EQ(calls.load(), 4);

  struct Inner {
    api::Kernel *kernel;
    Tensor *out;
  } inner{&squares, &out};
  tw_set_print_callback(
      [](const char *, void *user) { (*static_cast<Inner *>(user)->kernel)[60](*static_cast<Inner *>(user)->out); },
      &inner);
  auto prints = api::Kernel::fromSource(R"(
import triton
import triton.language as tl

@triton.jit
def prints(x):
    tl.device_print("x", tl.load(x))
)");
  prints[3].with({.cooperative = true})(outs[0]);
  tw_set_print_callback(nullptr, nullptr);
  EXPECT_TRUE(isRight(60));
}

} // namespace
