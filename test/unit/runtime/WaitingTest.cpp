// Programs that wait for each other on the CPU engine: locks, chains, barriers, and what cannot end
// without a cooperative launch.
#include "runtime/SpreadPrograms.h"
#include "runtime/ThreadPool.h"
#include "runtime/Watchdog.h"
#include "tilewise/report.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>

using namespace tilewise;
using namespace std::chrono_literals;

namespace {

template <typename Body> std::string launchErrorOf(Body body) {
  try {
    body();
  } catch (const api::LaunchError &error) {
    return error.what();
  }
  return "nothing was thrown";
}

api::Kernel kernel(const std::string &body) {
  return api::Kernel::fromSource("import triton\nimport triton.language as tl\n\n@triton.jit\n" + body);
}

std::vector<int> iota(int count, int first = 0) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(Waiting, ASpinLockLetsOneProgramInAtATime) {
  auto locked = kernel(R"(
def locked(lock, total, rounds):
    for i in range(rounds):
        while tl.atomic_cas(lock, 0, 1) == 1:
            pass
        tl.store(total, tl.load(total, volatile=True) + 1)
        tl.atomic_xchg(lock, 0)
)");
  Tensor lock(DType::Int32, {1}), total(DType::Int32, {1});
  locked[500](lock, total, 7);
  EXPECT_EQ(total.toVector<int>()[0], 3500);
}

// Program n runs when n - 1 has: in chunks this would end, too, but only one by one do two threads
// ever work at the same time.
TEST(Waiting, AChainOfLowerPrograms) {
  auto chain = kernel(R"(
def chain(turn, order, at):
    pid = tl.program_id(0)
    while tl.atomic_add(turn, 0) != pid:
        pass
    place = tl.atomic_add(at, 1)
    tl.store(order + place, pid)
    tl.atomic_xchg(turn, pid + 1)
)");
  Tensor turn(DType::Int32, {1}), order(DType::Int32, {300}), at(DType::Int32, {1});
  chain[300](turn, order, at);
  EXPECT_EQ(order.toVector<int>(), iota(300));
}

TEST(Waiting, ATicketLock) {
  auto ticketed = kernel(R"(
def ticketed(next, serving, total):
    ticket = tl.atomic_add(next, 1)
    while tl.atomic_add(serving, 0) != ticket:
        pass
    tl.store(total, tl.load(total, volatile=True) + ticket)
    tl.atomic_add(serving, 1)
)");
  Tensor next(DType::Int32, {1}), serving(DType::Int32, {1}), total(DType::Int32, {1});
  ticketed[400](next, serving, total);
  EXPECT_EQ(total.toVector<int>()[0], 400 * 399 / 2);
}

// As in stream-k: a program adds what its higher neighbour left for it.
const char *const kFromAbove = R"(
def from_above(ready, sums):
    pid = tl.program_id(0)
    sum = pid
    if pid + 1 < tl.num_programs(0):
        while tl.atomic_cas(ready + pid + 1, 1, 1) != 1:
            pass
        sum += tl.load(sums + pid + 1, volatile=True)
    tl.store(sums + pid, sum)
    tl.atomic_xchg(ready + pid, 1)
)";

TEST(Waiting, ACooperativeLaunchMayWaitForHigherPrograms) {
  auto fromAbove = kernel(kFromAbove);
  constexpr int kPrograms = 10;
  Tensor ready(DType::Int32, {kPrograms}), sums(DType::Int32, {kPrograms});
  fromAbove[kPrograms].with({.cooperative = true})(ready, sums);
  std::vector<int> expected(kPrograms);
  for (int i = kPrograms - 1, sum = 0; i >= 0; --i)
    expected[i] = sum += i;
  EXPECT_EQ(sums.toVector<int>(), expected);
}

TEST(Waiting, ABarrierOverTheGrid) {
  auto rotate = kernel(R"(
def rotate(count, values, out):
    pid = tl.program_id(0)
    n = tl.num_programs(0)
    tl.store(values + pid, pid * 10)
    tl.atomic_add(count, 1)
    while tl.atomic_add(count, 0) < n:
        pass
    tl.store(out + pid, tl.load(values + (pid + 1) % n, volatile=True))
)");
  Tensor count(DType::Int32, {1}), values(DType::Int32, {24}), out(DType::Int32, {24});
  rotate[{4, 1, 1}].with({.cooperative = true})(count, values, out);
  EXPECT_EQ(out.toVector<int>()[3], 0);
  EXPECT_EQ(out.toVector<int>()[0], 10);
}

// Each thread begins without waiting for a turn of those that spin already, so this ends after
// about two turns of each.
TEST(Waiting, ABarrierOverManyMoreProgramsThanCores) {
  auto meet = kernel(R"(
def meet(count, out):
    tl.atomic_add(count, 1)
    while tl.atomic_add(count, 0) < tl.num_programs(0):
        pass
    tl.store(out + tl.program_id(0), 1)
)");
  Tensor count(DType::Int32, {1}), out(DType::Int32, {300});
  meet[300].with({.cooperative = true})(count, out);
  EXPECT_EQ(out.toVector<int>(), std::vector<int>(300, 1));
}

TEST(Waiting, TooManyCooperativeProgramsAreRefused) {
  auto fromAbove = kernel(kFromAbove);
  Tensor ready(DType::Int32, {2000}), sums(DType::Int32, {2000});
  EXPECT_EQ(launchErrorOf([&] { fromAbove[2000].with({.cooperative = true})(ready, sums); }),
            "kernel 'from_above': a cooperative launch on the cpu engine has at most 1024 programs, since each gets a "
            "thread; "
            "got 2000");
  EXPECT_EQ(sums.toVector<int>(), std::vector<int>(2000));
}

// Program 0 waits for program 1, which fails before it says that it is done.
TEST(Waiting, AProgramThatFailsEndsThoseThatWaitForIt) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer delivers signals to the handler only at its own calls";
#endif
  auto fails = kernel(R"(
def fails(flag, x):
    if tl.program_id(0) == 1:
        tl.store(x + 1000, 1)
        tl.atomic_xchg(flag, 1)
    else:
        while tl.atomic_add(flag, 0) == 0:
            pass
)");
  for (const char *device : {"reference", "cpu"}) {
    Tensor flag(DType::Int32, {1}, Device(device)), x(DType::Int32, {10}, Device(device));
    const std::string message = launchErrorOf([&] { fails[2].with({.checked = true, .cooperative = true})(flag, x); });
    EXPECT_NE(message.find("store outside of 'x'"), std::string::npos) << device << ": " << message;
  }
}

#if !__has_feature(thread_sanitizer) // which delivers signals to the handler only at its own calls

struct StuckAfter {
  explicit StuckAfter(std::chrono::milliseconds time) { setWatchdogTimes(10ms, time); }
  ~StuckAfter() { setWatchdogTimes(50ms, 30s); }
};

TEST(Waiting, WaitingForAHigherProgramIsReported) {
  const StuckAfter soon(300ms);
  auto fromAbove = kernel(kFromAbove);
  const int programs = 4 * int(ThreadPool::instance().threads());
  Tensor ready(DType::Int32, {programs}), sums(DType::Int32, {programs});
  const std::string message = launchErrorOf([&] { fromAbove[programs](ready, sums); });
  EXPECT_NE(message.find("kernel 'from_above': its programs wait for each other, and "), std::string::npos) << message;
  EXPECT_NE(message.find("launch it cooperatively"), std::string::npos) << message;
  // The engine is as good as before.
  fromAbove[programs].with({.cooperative = true})(ready, sums);
  EXPECT_EQ(sums.toVector<int>()[0], programs * (programs - 1) / 2);
}

TEST(Waiting, AWaitThatEndsIsNotReported) {
  const StuckAfter soon(150ms);
  auto waits = kernel(R"(
def waits(flag, out):
    while tl.atomic_add(flag, 0) == 0:
        pass
    tl.store(out + tl.program_id(0), 1)
)");
  // One program: none has not begun, so it may wait for the host as long as it likes.
  Tensor flag(DType::Int32, {1}), out(DType::Int32, {1});
  std::thread host([&] {
    std::this_thread::sleep_for(600ms);
    __atomic_store_n(flag.data<int>(), 1, __ATOMIC_RELEASE);
  });
  waits[1](flag, out);
  host.join();
  EXPECT_EQ(out.toVector<int>()[0], 1);
}

struct Interrupted {
  static bool ask(void *after) { return std::chrono::steady_clock::now() > *static_cast<decltype(end) *>(after); }
  explicit Interrupted(std::chrono::milliseconds after) : end(std::chrono::steady_clock::now() + after) {
    tw_set_interrupt_callback(ask, &end);
  }
  ~Interrupted() { tw_set_interrupt_callback(nullptr, nullptr); }
  std::chrono::steady_clock::time_point end;
};

TEST(Waiting, AnInterruptEndsAProgramInItsMiddle) {
  const Interrupted soon(100ms);
  auto forever = kernel(R"(
def forever(flag):
    while tl.atomic_add(flag, 0) == 0:
        pass
)");
  auto longLoop = kernel(R"(
def long_loop(out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(out + at)
    for i in range(n):
        x = x * 0.5 + tl.sqrt(x)
    tl.store(out + at, x)
)");
  Tensor flag(DType::Int32, {1}), out(DType::Float32, {64});
  for (int programs : {1, 2, 5})
    EXPECT_EQ(launchErrorOf([&] { forever[programs](flag); }), "the launch was interrupted") << programs;
  EXPECT_EQ(launchErrorOf([&] { longLoop[3](out, std::int64_t(1) << 50, 64); }), "the launch was interrupted");
  EXPECT_EQ(launchErrorOf([&] { forever[6].with({.cooperative = true})(flag); }), "the launch was interrupted");
}

TEST(Waiting, AnInterruptAlsoComesWhenOnlyAWorkerIsBusy) {
  const Interrupted soon(100ms);
  // The last program only; a caller that has no more to do waits for it.
  auto last = kernel(R"(
def last(flag):
    if tl.program_id(0) == tl.num_programs(0) - 1:
        while tl.atomic_add(flag, 0) == 0:
            pass
)");
  Tensor flag(DType::Int32, {1});
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(launchErrorOf([&] { last[2](flag); }), "the launch was interrupted");
}

#endif

} // namespace
