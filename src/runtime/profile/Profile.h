// What a process did and when: compiles, tuning, launches and copies, as a timeline for Chrome's
// trace viewer and as a table.
//
// The same goes to the profilers of others as ranges, where one has started the process: Ranges.h.
//
// Off, it costs a launch one relaxed load. On, each thing that ends is added to the table's row of
// its kind, kernel and device, and, up to a million of them, to the timeline. A launch on a GPU is
// then waited for, since its time is wanted. Launches that tuning makes are part of the tuning.
#pragma once

#include "tilewise/tilewise.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace tilewise::profile {

enum class Kind { Compile, Recall, Tune, Launch, Copy };

/// Empties the record and begins; or ends, and keeps what there is.
void start();
void stop();

/// Who wants to know.
enum Listener : unsigned { kRecord = 1, kRangeTools = 2 };
namespace detail {
extern std::atomic<unsigned> listeners;
} // namespace detail
/// Whether this thread records now.
bool isHidden();
inline bool isOn() { return detail::listeners.load(std::memory_order_relaxed) & kRecord && !isHidden(); }

/// The memory of the tensors among the arguments, each counted once; 0 where one's is not known.
uint64_t bytesOf(std::span<const tw_argument> arguments);

using Clock = std::chrono::steady_clock;

/// Something that began at `start` and ends now. `detail` is shown in the timeline.
void add(Kind kind, const std::string &name, const std::string &detail, const std::string &device,
         Clock::time_point start, uint64_t bytes = 0);

/// Something that takes as long as this lives: a range for the profilers of others. What is to be
/// recorded of it is added by `add` before it ends.
class Span {
public:
  Span(Kind kind, const std::string &name) {
    if (const unsigned listeners = detail::listeners.load(std::memory_order_relaxed))
      begin(listeners, kind, name);
  }
  ~Span() {
    if (hasRange_)
      end();
  }
  Span(const Span &) = delete;
  Span &operator=(const Span &) = delete;

  bool isRecorded() const { return isRecorded_; }
  Clock::time_point start() const { return start_; }

private:
  void begin(unsigned listeners, Kind kind, const std::string &name);
  void end();
  bool isRecorded_ = false, hasRange_ = false;
  Clock::time_point start_;
};

/// While it lives, nothing else of this thread is recorded: it is part of this.
class Whole {
public:
  Whole(Kind kind, std::string name, std::string detail, std::string device);
  ~Whole();
  Whole(const Whole &) = delete;
  Whole &operator=(const Whole &) = delete;

private:
  const Span span_;
  Kind kind_;
  std::string name_, detail_, device_;
};

/// The record as a Chrome trace, in JSON; and as a table, with the share of the device's measured
/// bandwidth where there is one.
std::string trace();
std::string table();

/// Several processes' traces as one, and the table over all of them; what is no trace is left out.
std::string mergeTraces(std::span<const std::string> traces, std::string &table);

} // namespace tilewise::profile
