// The list of loaded kernels, the handler of faults, and perf's map.
#include "runtime/CodeMap.h"

#include "support/Knobs.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

namespace tilewise {

thread_local constinit RunningPrograms runningPrograms{0, 0, nullptr};

/// Entries are never freed: a handler may be looking at them. One whose code is gone has no bytes and is used again.
struct MappedCode::Entry {
  std::atomic<uintptr_t> begin{0};
  std::atomic<size_t> bytes{0};
  char kernel[128];
  Entry *next = nullptr;

  static std::atomic<Entry *> first;
  static std::mutex mutex;
};
constinit std::atomic<MappedCode::Entry *> MappedCode::Entry::first{nullptr};
constinit std::mutex MappedCode::Entry::mutex;

const char *kernelAt(uintptr_t address) {
  for (auto *entry = MappedCode::Entry::first.load(std::memory_order_acquire); entry; entry = entry->next)
    if (address - entry->begin.load(std::memory_order_relaxed) < entry->bytes.load(std::memory_order_acquire))
      return entry->kernel;
  return nullptr;
}

namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[NSIG];

uintptr_t placeOf(void *context) {
#if defined(__x86_64__)
  return uintptr_t(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return uintptr_t(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#else
  return 0;
#endif
}

/// snprintf and write: glibc's are safe enough for numbers and strings where the process is about to die.
void report(const char *kernel, int signal, const siginfo_t *info) {
  const RunningPrograms &running = runningPrograms;
  char text[512], programs[128] = "";
  if (running.grid && running.end - running.begin == 1) {
    uint64_t id = running.begin, x = running.grid[0], y = running.grid[1];
    std::snprintf(programs, sizeof programs, ", in program (%u, %u, %u)", unsigned(id % x), unsigned(id / x % y),
                  unsigned(id / x / y));
  } else if (running.grid) {
    std::snprintf(programs, sizeof programs, ", in one of the programs %llu to %llu", (unsigned long long)running.begin,
                  (unsigned long long)running.end - 1);
  }
  char what[64] = "stopped";
  if (signal == SIGSEGV || signal == SIGBUS)
    std::snprintf(what, sizeof what, "touched memory at %p that it may not", info->si_addr);
  int length = std::snprintf(text, sizeof text,
                             "error: kernel '%s' %s%s\n"
                             "note: with TILEWISE_CHECKED=1 the launch stops before that, and tells the line, the "
                             "argument, the program and the lane\n",
                             kernel, what, programs);
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, size_t(length));
}

void onFault(int signal, siginfo_t *info, void *context) {
  if (const char *kernel = kernelAt(placeOf(context)))
    report(kernel, signal, info);
  const struct sigaction &other = before[signal];
  if (other.sa_flags & SA_SIGINFO)
    return other.sa_sigaction(signal, info, context);
  if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN)
    return other.sa_handler(signal);
  // As if we had not been there: the instruction faults again.
  sigaction(signal, &other, nullptr);
}

void watchFaults() {
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int fault : kFaults)
    sigaction(fault, &action, &before[fault]);
}

void writePerfMap(const void *begin, size_t bytes, const std::string &kernel) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  if (FILE *file = std::fopen(path.c_str(), "ae")) {
    std::fprintf(file, "%llx %zx %s\n", (unsigned long long)(uintptr_t)begin, bytes, kernel.c_str());
    std::fclose(file);
  }
}

} // namespace

MappedCode::MappedCode(const void *begin, size_t bytes, const std::string &kernel) : entry_(nullptr) {
  std::lock_guard lock(Entry::mutex);
  if (!Entry::first.load())
    watchFaults();
  for (Entry *entry = Entry::first.load(); entry && !entry_; entry = entry->next)
    if (entry->bytes.load() == 0)
      entry_ = entry;
  bool isNew = !entry_;
  if (isNew)
    entry_ = new Entry;
  std::snprintf(entry_->kernel, sizeof entry_->kernel, "%s", kernel.c_str());
  entry_->begin.store(uintptr_t(begin));
  entry_->bytes.store(bytes, std::memory_order_release);
  if (isNew) {
    entry_->next = Entry::first.load();
    Entry::first.store(entry_, std::memory_order_release);
  }
  if (knobs::perfMap())
    writePerfMap(begin, bytes, kernel);
}

MappedCode::MappedCode(MappedCode &&other) noexcept : entry_(other.entry_) { other.entry_ = nullptr; }

MappedCode::~MappedCode() {
  if (entry_)
    entry_->bytes.store(0);
}

} // namespace tilewise
