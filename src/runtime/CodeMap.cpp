// The list of loaded kernels, the handler of faults, and perf's map.
#include "runtime/CodeMap.h"

#include "support/Knobs.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

namespace tilewise {

thread_local constinit RunningPrograms runningPrograms{0, 0, nullptr, nullptr, nullptr};

/// Entries are never freed: a handler may be looking at them. One whose code is gone has no bytes
/// and is used again.
struct MappedCode::Entry {
  std::atomic<uintptr_t> begin{0};
  std::atomic<size_t> bytes{0};
  const char *section = nullptr;
  DwarfLines lines;
  char kernel[128];
  Entry *next = nullptr;

  static std::atomic<Entry *> first;
  static std::mutex mutex;
};
constinit std::atomic<MappedCode::Entry *> MappedCode::Entry::first{nullptr};
constinit std::mutex MappedCode::Entry::mutex;

CodeOrigin originOf(uintptr_t address) {
  for (auto *entry = MappedCode::Entry::first.load(std::memory_order_acquire); entry; entry = entry->next)
    if (address - entry->begin.load(std::memory_order_relaxed) < entry->bytes.load(std::memory_order_acquire))
      return {entry->kernel, placeAt(entry->lines, address - uintptr_t(entry->section))};
  return {};
}

uintptr_t placeOf(void *context) {
#if defined(__x86_64__)
  return uintptr_t(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return uintptr_t(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#else
  return 0;
#endif
}

namespace {

constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[NSIG];

void idsOf(const RunningPrograms &running, uint64_t linear, unsigned ids[3]) {
  for (int i = 0; i < 3; ++i) {
    const uint8_t axis = running.order[i];
    ids[axis] = unsigned(i < 2 ? linear % running.grid[axis] : linear);
    linear /= running.grid[axis];
  }
}

std::atomic<FaultCatcher> faultCatcher{nullptr};

/// snprintf and write: glibc's are safe enough for numbers and strings where the process is about
/// to die.
void report(const CodeOrigin &origin, int signal, const siginfo_t *info) {
  char text[1024], programs[128], place[512];
  tellPrograms(programs, sizeof programs);
  tellPlace(origin.place, place, sizeof place);
  char what[64] = "stopped";
  // Of an address that no memory could have, as one of 60 bits, the processor tells nothing.
  if (signal == SIGSEGV && info->si_code == SI_KERNEL)
    std::snprintf(what, sizeof what, "accessed an impossible address");
  else if (signal == SIGSEGV || signal == SIGBUS)
    std::snprintf(what, sizeof what, "accessed memory at 0x%zx, which it must not", size_t(info->si_addr));
  int length = std::snprintf(text, sizeof text,
                             "%s%serror: kernel '%s' %s%s%s\n"
                             "note: with TILEWISE_CHECKED=1 the launch stops before such an access, and names the "
                             "argument, the program and the lane\n",
                             place, *place ? ": " : "", origin.kernel, what, *programs ? "," : "", programs);
  // A long name may have cut the text off.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, std::min(size_t(length), sizeof text - 1));
}

void onFault(int signal, siginfo_t *info, void *context) {
  if (CodeOrigin origin = originOf(placeOf(context)); origin.kernel) {
    if (FaultCatcher catcher = faultCatcher.load(std::memory_order_acquire))
      catcher(origin, signal, info);
    report(origin, signal, info);
  }
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

void tellPrograms(char *text, size_t size) {
  const RunningPrograms &running = runningPrograms;
  *text = 0;
  if (!running.grid)
    return;
  uint64_t begin = running.begin, end = running.end;
  if (const uint64_t noted = *running.note; begin <= noted && noted < end) {
    begin = noted;
    end = noted + 1;
  }
  unsigned first[3], last[3];
  idsOf(running, begin, first);
  idsOf(running, end - 1, last);
  if (end - begin == 1)
    std::snprintf(text, size, " in program (%u, %u, %u)", first[0], first[1], first[2]);
  else
    std::snprintf(text, size, " in one of the programs from (%u, %u, %u) to (%u, %u, %u)", first[0], first[1], first[2],
                  last[0], last[1], last[2]);
}

void tellPlace(const CodePlace &place, char *text, size_t size) {
  *text = 0;
  if (place.file)
    std::snprintf(text, size, "%s%s%s:%u:%u", place.folder, *place.folder ? "/" : "", place.file, place.line,
                  place.column);
}

void setFaultCatcher(FaultCatcher catcher) { faultCatcher.store(catcher, std::memory_order_release); }

MappedCode::MappedCode(const LinkedObject::Code &code, const std::string &kernel) : entry_(nullptr) {
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
  entry_->section = code.section;
  entry_->lines = code.lines;
  entry_->begin.store(uintptr_t(code.entry));
  entry_->bytes.store(code.bytes, std::memory_order_release);
  if (isNew) {
    entry_->next = Entry::first.load();
    Entry::first.store(entry_, std::memory_order_release);
  }
  if (knobs::perfMap())
    writePerfMap(code.entry, code.bytes, kernel);
}

MappedCode::MappedCode(MappedCode &&other) noexcept : entry_(other.entry_) { other.entry_ = nullptr; }

MappedCode::~MappedCode() {
  if (entry_)
    entry_->bytes.store(0);
}

} // namespace tilewise
