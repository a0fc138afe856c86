// The host's executor, and cooperative launches.
#include "runtime/SpreadPrograms.h"

#include "runtime/Fork.h"
#include "runtime/ProgramQueue.h"
#include "runtime/Watchdog.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>
#include <pthread.h>
#include <thread>
#include <vector>

namespace tilewise {

/// Read by every launch, so without a lock. A host sets it once or twice; what it set before is
/// never freed, since launches may hold it.
static std::atomic<const tw_executor *> hostExecutor{nullptr};

Result<void> setExecutor(const tw_executor *executor) {
  if (!executor) {
    hostExecutor.store(nullptr, std::memory_order_release);
    return {};
  }
  if (executor->struct_size < offsetof(tw_executor, user) + sizeof(void *) || !executor->run)
    return launchFailure("an executor needs its struct_size and a function `run`");
  auto *kept = new tw_executor{};
  std::memcpy(kept, executor, std::min<size_t>(executor->struct_size, sizeof *kept));
  if (kept->threads == 0)
    kept->threads = ThreadPool::instance().threads();
  hostExecutor.store(kept, std::memory_order_release);
  return {};
}

/// The child of a fork has the thread that forked, and none of the host's others. Its own pool it
/// starts itself.
[[maybe_unused]] static const bool isForkReady =
    onFork(ForkLock::Executor, nullptr, nullptr, [] { hostExecutor.store(nullptr, std::memory_order_release); });

/// The host's executor for a launch from this thread, or null. Not every executor may be entered
/// again, so a launch inside a task runs on the pool.
static const tw_executor *executorOfLaunch() {
  const tw_executor *host = hostExecutor.load(std::memory_order_acquire);
  return host && !InsidePrograms::isAnywhere() ? host : nullptr;
}

static unsigned threadsOf(const tw_executor &host) {
  return host.threads_now ? std::clamp<unsigned>(host.threads_now(host.user), 1, host.threads) : host.threads;
}

unsigned threadsOfLaunch() {
  const tw_executor *host = executorOfLaunch();
  return host ? threadsOf(*host) : ThreadPool::instance().threads();
}

namespace {
/// A launch on the host's threads. Each task begins with a share of its own, the same at every
/// launch of as many programs: where the host gives a thread the same task each time, its caches
/// still have what it worked on. Then it helps the others. Programs that wait for each other begin
/// in order instead.
class HostJob {
public:
  HostJob(const GridRun &run, unsigned threads)
      : run_(run), shares_(run.manner.oneByOne ? 1 : size_t(std::min<uint64_t>({threads, run.programs, kMostShares}))) {
    for (size_t i = 0; i < shares_; ++i) {
      const uint64_t begin = run.programs * i / shares_, end = run.programs * (i + 1) / shares_;
      new (&share(i)) Share(begin, end - begin, unsigned(std::max<size_t>(1, threads / shares_)), run.manner.oneByOne);
    }
  }

  void help(size_t first) {
    inside_.fetch_add(1, std::memory_order_relaxed);
    {
      const InsidePrograms counted;
      for (size_t i = 0; i < shares_; ++i) {
        Share &share = this->share((first + i) % shares_);
        for (uint64_t begin, end; share.queue.take(begin, end);)
          run_.body(run_.context, share.begin + begin, share.begin + end);
      }
    }
    inside_.fetch_sub(1, std::memory_order_release); // the last touch of the job
  }

  /// A host that returned too early must not leave threads behind on this stack.
  void waitForTasks() const {
    while (inside_.load(std::memory_order_acquire) != 0)
      std::this_thread::yield();
  }

private:
  struct Share {
    Share(uint64_t begin, uint64_t count, unsigned threads, bool oneByOne)
        : begin(begin), queue(count, threads, oneByOne) {}
    alignas(64) const uint64_t begin;
    ProgramQueue queue;
  };
  static constexpr uint64_t kMostShares = 64;
  Share &share(size_t index) { return reinterpret_cast<Share *>(memory_)[index]; }

  const GridRun &run_;
  const size_t shares_;
  // Not made before they are needed: a launch takes a microsecond, and these are lines of the
  // cache.
  alignas(Share) std::byte memory_[kMostShares * sizeof(Share)];
  std::atomic<size_t> inside_{0};
};
} // namespace

static Result<void> runOnHost(const std::string &kernel, const GridRun &run, const tw_executor &host) {
  const unsigned threads = threadsOf(host);
  HostJob job(run, threads);
  const size_t tasks = size_t(std::min<uint64_t>(threads, run.programs));
  const bool done = host.run(
      host.user, tasks, [](void *context, size_t index) { static_cast<HostJob *>(context)->help(index); }, &job);
  job.waitForTasks();
  if (!done)
    return launchFailure("kernel '" + kernel + "': the host's executor failed");
  job.help(0); // what tasks it left out
  return {};
}

namespace {
/// The threads of a cooperative launch. None begins before all are there. They begin and end
/// without a lock: each that has begun may spin for its whole turn, so threads that pass a lock on
/// from one to the next would wait for all who spin, each of them (400 programs on two cores: a
/// minute instead of a second).
struct Team {
  explicit Team(const GridRun &run) : run(run) {}
  const GridRun &run;
  enum : int { Waiting, Go, Cancelled };
  std::atomic<int> state{Waiting};
  std::atomic<uint64_t> working{0};
  // For the caller, who waits for the last.
  std::mutex mutex;
  std::condition_variable ended;
};
struct Member {
  Team *team;
  uint64_t program;
  pthread_t thread;
};
} // namespace

static void *runMember(void *context) {
  const Member member = *static_cast<Member *>(context);
  Team &team = *member.team;
  WatchedLaunch::enlistThread(); // takes a lock, so before anybody spins
  team.state.wait(Team::Waiting, std::memory_order_acquire);
  if (team.state.load(std::memory_order_acquire) == Team::Go) {
    const InsidePrograms counted;
    team.run.body(team.run.context, member.program, member.program + 1);
  }
  if (team.working.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    std::lock_guard lock(team.mutex);
    team.ended.notify_one();
  }
  return nullptr;
}

/// Scratch is on the heap; the stack holds what registers cannot.
static constexpr size_t kMemberStack = size_t(2) << 20;

static Result<void> runCooperatively(const std::string &kernel, const GridRun &run) {
  if (run.programs > kMostCooperativePrograms)
    return launchFailure("kernel '" + kernel + "': a cooperative launch on the cpu engine has at most " +
                         std::to_string(kMostCooperativePrograms) + " programs, since each gets a thread; got " +
                         std::to_string(run.programs));
  Team team(run);
  std::vector<Member> members(run.programs - 1);
  size_t started = 0;
  {
    const HostSignalsBlocked blocked;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kMemberStack);
    for (Member &member : members) {
      member.team = &team;
      member.program = 1 + started;
      if (pthread_create(&member.thread, &attributes, runMember, &member) != 0)
        break;
      pthread_setname_np(member.thread, "tilewise");
      ++started;
    }
    pthread_attr_destroy(&attributes);
  }
  const bool all = started == members.size();
  team.working.store(started, std::memory_order_relaxed);
  team.state.store(all ? Team::Go : Team::Cancelled, std::memory_order_release);
  team.state.notify_all();
  if (all) {
    const InsidePrograms counted;
    run.body(run.context, 0, 1);
  }
  {
    using namespace std::chrono_literals;
    std::unique_lock lock(team.mutex);
    while (!team.ended.wait_for(lock, 20ms, [&] { return team.working.load(std::memory_order_acquire) == 0; })) {
      lock.unlock();
      if (run.manner.whileWaiting)
        run.manner.whileWaiting(run.context);
      lock.lock();
    }
  }
  for (size_t i = 0; i < started; ++i)
    pthread_join(members[i].thread, nullptr);
  if (all)
    return {};
  return launchFailure("kernel '" + kernel + "': a cooperative launch of " + std::to_string(run.programs) +
                       " programs needs as many threads, and the system gives " + std::to_string(started + 1));
}

Result<void> runGrid(const std::string &kernel, const GridRun &run) {
  if (run.cooperative && run.programs > 1)
    return runCooperatively(kernel, run);
  if (run.onCaller) {
    run.body(run.context, 0, run.programs);
    return {};
  }
  if (const tw_executor *host = executorOfLaunch(); host && run.programs > 1)
    return runOnHost(kernel, run, *host);
  ThreadPool::instance().run(run.programs, run.body, run.context, run.manner);
  return {};
}

} // namespace tilewise
