// The record of a process, and its way out when the process ends.
#include "runtime/profile/Profile.h"

#include "runtime/ProcessWide.h"
#include "runtime/profile/Ranges.h"
#include "runtime/profile/Rows.h"
#include "support/Knobs.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tilewise::profile {

// 150 MB of a process's memory, and what a trace viewer can still open.
static constexpr size_t kMaxEvents = 1'000'000;

constinit std::atomic<unsigned> detail::listeners{0};
static thread_local constinit int hidden = 0;
bool isHidden() { return hidden != 0; }

namespace {
struct Event {
  Kind kind;
  int thread;
  Clock::time_point start;
  Clock::duration taken;
  uint64_t bytes;
  std::string name, detail, device;
};

struct Record {
  std::mutex mutex;
  Clock::time_point began = Clock::now();
  std::vector<Event> events;
  uint64_t leftOut = 0; ///< Beyond kMaxEvents.
  Rows rows;

  /// A child's record is its own.
  void afterForkInChild() {
    events.clear();
    rows = {};
    leftOut = 0;
  }
};
} // namespace

static constinit ProcessWide<Record, ForkLock::Profile> record;
[[maybe_unused]] static const bool isForkReady = record.registerForFork<record>();

void start() {
  Record &all = record.get();
  std::lock_guard lock(all.mutex);
  all.events.clear();
  all.rows = {};
  all.leftOut = 0;
  all.began = Clock::now();
  detail::listeners |= kRecord;
}

void stop() { detail::listeners &= ~unsigned(kRecord); }

uint64_t bytesOf(std::span<const tw_argument> arguments) {
  uint64_t bytes = 0;
  std::set<const void *> seen;
  for (const tw_argument &argument : arguments) {
    if (argument.kind == TW_ARGUMENT_DESCRIPTOR)
      return 0;
    if (argument.kind != TW_ARGUMENT_POINTER && argument.kind != TW_ARGUMENT_CONST_POINTER)
      continue;
    if (argument.bytes == TW_BYTES_UNKNOWN)
      return 0;
    if (seen.insert(argument.value.pointer).second)
      bytes += argument.bytes;
  }
  return bytes;
}

void add(Kind kind, const std::string &name, const std::string &detail, const std::string &device,
         Clock::time_point start, uint64_t bytes) {
  const auto taken = Clock::now() - start;
  static thread_local const int thread = int(syscall(SYS_gettid));
  Record &all = record.get();
  std::lock_guard lock(all.mutex);
  all.rows.add(nameOf(kind), name, device, std::chrono::duration<double>(taken).count(), bytes);
  if (all.events.size() < kMaxEvents)
    all.events.push_back({kind, thread, start, taken, bytes, name, detail, device});
  else
    ++all.leftOut;
}

void Span::begin(unsigned listeners, Kind kind, const std::string &name) {
  if (listeners & kRangeTools) {
    hasRange_ = beginRange((nameOf(kind).str() + " " + name).c_str());
    // The environment named a library that cannot be used.
    if (!hasRange_)
      detail::listeners &= ~unsigned(kRangeTools);
  }
  isRecorded_ = listeners & kRecord && !isHidden();
  if (isRecorded_)
    start_ = Clock::now();
}

void Span::end() { endRange(); }

Whole::Whole(Kind kind, std::string name, std::string detail, std::string device)
    : span_(kind, name), kind_(kind), name_(std::move(name)), detail_(std::move(detail)), device_(std::move(device)) {
  ++hidden;
}

Whole::~Whole() {
  --hidden;
  if (span_.isRecorded())
    add(kind_, name_, detail_, device_, span_.start());
}

static double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

std::string trace() {
  Record &all = record.get();
  std::lock_guard lock(all.mutex);
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  const auto process = int64_t(getpid());
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      for (const Event &event : all.events)
        json.object([&] {
          json.attribute("name", event.name);
          json.attribute("cat", nameOf(event.kind));
          json.attribute("ph", "X");
          // Of a clock that all processes of the machine share, so that their traces can be one.
          json.attribute("ts", microseconds(event.start.time_since_epoch()));
          json.attribute("dur", microseconds(event.taken));
          json.attribute("pid", process);
          json.attribute("tid", event.thread);
          json.attributeObject("args", [&] {
            json.attribute("what", event.detail);
            json.attribute("device", event.device);
            if (event.bytes) {
              json.attribute("bytes", int64_t(event.bytes));
              json.attribute("GB/s", double(event.bytes) / microseconds(event.taken) / 1e3);
            }
          });
        });
    });
    json.attribute("displayTimeUnit", "ms");
    json.attribute("eventsLeftOut", int64_t(all.leftOut));
    json.attribute("tilewiseRows", all.rows.toJson());
  });
  return text;
}

std::string table() {
  Record &all = record.get();
  std::lock_guard lock(all.mutex);
  return all.rows.print();
}

/// Who the environment says will listen. TILEWISE_PROFILE: the whole process, written when it ends.
namespace {
struct OfProcess {
  std::string path = knobs::profile();
  OfProcess() {
    if (isRangeToolNamed())
      detail::listeners |= kRangeTools;
    if (!path.empty())
      start();
  }
  ~OfProcess() {
    if (path.empty() || !(detail::listeners & kRecord))
      return;
    stop();
    // Beside those of other processes of the same program. By functions of C: what C++ and LLVM
    // write with, and the texts of their errors, may be gone at the end of a process.
    const std::string name = path + "." + std::to_string(getpid()) + ".json", text = trace();
    std::FILE *file = std::fopen(name.c_str(), "we");
    const bool isWritten = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (isWritten && std::fclose(std::exchange(file, nullptr)) == 0)
      return;
    std::fprintf(stderr, "tilewise: cannot write the profile '%s': %s\n", name.c_str(), std::strerror(errno));
    if (file)
      std::fclose(file);
  }
};
const OfProcess ofProcess;
} // namespace

} // namespace tilewise::profile
