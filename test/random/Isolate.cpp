// Child processes and the pipe on which they tell: a record when a kernel begins, and one when it
// ends.
#include "Isolate.h"

#include "Generate.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::random {
namespace {

using Clock = std::chrono::steady_clock;

struct Record {
  uint64_t seed;
  int32_t kind; ///< -1: begins.
  uint32_t bytes;
};

void writeAll(int pipe, const void *data, size_t size) {
  const char *at = static_cast<const char *>(data);
  while (size) {
    ssize_t done = write(pipe, at, size);
    if (done <= 0)
      _exit(3);
    at += done;
    size -= size_t(done);
  }
}

void tell(int pipe, uint64_t seed, int kind, const std::string &text) {
  const std::string cut = text.substr(0, 20000);
  Record record{seed, kind, uint32_t(cut.size())};
  writeAll(pipe, &record, sizeof record);
  writeAll(pipe, cut.data(), cut.size());
}

/// A child that works on seeds from `next` up to `end`, or on one given kernel.
class Child {
public:
  Child(uint64_t next, uint64_t end, const Emitted *kernel, const RunOptions &options) : next_(next), end_(end) {
    int ends[2];
    if (::pipe(ends) != 0)
      std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      for (uint64_t seed = next; seed < end; ++seed) {
        tell(ends[1], seed, -1, "");
        Outcome outcome = runKernel(kernel ? *kernel : emit(generate(seed)), options);
        tell(ends[1], seed, outcome.kind, outcome.text);
      }
      _exit(0);
    }
    close(ends[1]);
    pipe_ = ends[0];
    since_ = Clock::now();
  }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(pipe_);
  }

  int pipe() const { return pipe_; }
  uint64_t next() const { return next_; }
  uint64_t end() const { return end_; }
  /// No result for so long, and not because others have the cores: it computes all the time, or
  /// waits for ever.
  bool isStuck(double limit) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
    return seconds > limit && (cpuSeconds() - cpuSince_ > limit / 2 || seconds > 8 * limit);
  }

  /// Reads what is there; outcomes go to `report`. False at the end of the stream.
  template <typename F> bool read(const F &report) {
    char some[4096];
    ssize_t got = ::read(pipe_, some, sizeof some);
    if (got <= 0)
      return false;
    pending_.append(some, size_t(got));
    Record record;
    while (pending_.size() >= sizeof record) {
      std::memcpy(&record, pending_.data(), sizeof record);
      if (pending_.size() < sizeof record + record.bytes)
        break;
      since_ = Clock::now();
      cpuSince_ = cpuSeconds();
      if (record.kind >= 0) {
        next_ = record.seed + 1;
        report(record.seed, Outcome{Outcome::Kind(record.kind), pending_.substr(sizeof record, record.bytes)});
      }
      pending_.erase(0, sizeof record + record.bytes);
    }
    return true;
  }

  /// How it ended, after the end of its stream.
  std::string ending() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    if (WIFSIGNALED(status))
      return std::string("signal ") + strsignal(WTERMSIG(status));
    return "exit status " + std::to_string(WEXITSTATUS(status));
  }

private:
  double cpuSeconds() const {
    clockid_t clock;
    timespec time;
    if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &time) != 0)
      return 0;
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  }

  pid_t pid_;
  int pipe_;
  uint64_t next_, end_;
  Clock::time_point since_;
  double cpuSince_ = 0;
  std::string pending_;
};

/// Waits for one of the children, and reports what it tells, or that it is dead or stuck; those are
/// gone from the list then.
template <typename F>
void serve(std::vector<std::unique_ptr<Child>> &children, double limit, const F &report,
           std::vector<std::pair<uint64_t, uint64_t>> &left) {
  std::vector<pollfd> polled;
  for (const auto &child : children)
    polled.push_back({child->pipe(), POLLIN, 0});
  poll(polled.data(), polled.size(), 200);
  for (size_t k = children.size(); k-- > 0;) {
    Child &child = *children[k];
    std::optional<Outcome> lost;
    if (polled[k].revents) {
      if (child.read(report))
        continue;
      std::string ending = child.ending();
      if (child.next() < child.end())
        lost = Outcome{Outcome::Crash, ending};
    } else if (child.isStuck(limit)) {
      lost = Outcome{Outcome::Hang, "no result after " + std::to_string(int(limit)) + " s"};
    } else {
      continue;
    }
    if (lost) {
      report(child.next(), *lost);
      if (child.next() + 1 < child.end())
        left.push_back({child.next() + 1, child.end()});
    }
    children.erase(children.begin() + long(k));
  }
}

} // namespace

Outcome runIsolated(const Emitted &kernel, const BatchOptions &options) {
  std::vector<std::unique_ptr<Child>> children;
  children.push_back(std::make_unique<Child>(0, 1, &kernel, options.run));
  Outcome outcome;
  std::vector<std::pair<uint64_t, uint64_t>> left;
  while (!children.empty())
    serve(children, options.secondsPerKernel, [&](uint64_t, const Outcome &told) { outcome = told; }, left);
  return outcome;
}

void runSeeds(uint64_t first, uint64_t count, const BatchOptions &options,
              const std::function<bool(uint64_t seed, const Outcome &)> &report) {
  constexpr uint64_t kBatch = 50;
  std::vector<std::unique_ptr<Child>> children;
  std::vector<std::pair<uint64_t, uint64_t>> left;
  uint64_t next = first;
  const uint64_t end = first + count;
  bool goesOn = true;
  while (goesOn) {
    while (int(children.size()) < options.jobs && (!left.empty() || next < end)) {
      std::pair<uint64_t, uint64_t> range(next, std::min(end, next + kBatch));
      if (!left.empty()) {
        range = left.back();
        left.pop_back();
      } else {
        next = range.second;
      }
      children.push_back(std::make_unique<Child>(range.first, range.second, nullptr, options.run));
    }
    if (children.empty())
      return;
    serve(
        children, options.secondsPerKernel,
        [&](uint64_t seed, const Outcome &outcome) { goesOn &= report(seed, outcome); }, left);
  }
}

} // namespace tilewise::random
