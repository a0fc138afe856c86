// Which kernel a piece of machine code belongs to: for the message of a fault inside it, and for
// the profiler `perf`.
//
// A fault inside a kernel (a pointer that was no tensor's, a missing mask) kills the process as any
// fault does; before, one message says which line of which kernel and which programs it was, and
// how to see more. A fault elsewhere goes to whoever handled such signals before, and so does this
// one after the message. A launch that was given a tensor without elements asks for its own to be
// told instead (Watchdog.h). With TILEWISE_PERF_MAP=1 each kernel is written to /tmp/perf-PID.map,
// where `perf report` looks for names.
#pragma once

#include "runtime/JitLinker.h"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tilewise {

/// The kernel whose code holds an address, or null, and the line of it.
struct CodeOrigin {
  const char *kernel = nullptr;
  CodePlace place;
};
/// Safe in a signal handler.
CodeOrigin originOf(uintptr_t address);

/// Code that is known while the object lives.
class MappedCode {
public:
  /// What `code` points to must outlive this.
  MappedCode(const LinkedObject::Code &code, const std::string &kernel);
  MappedCode(MappedCode &&other) noexcept;
  MappedCode &operator=(MappedCode &&) = delete;
  ~MappedCode();

private:
  struct Entry;
  friend CodeOrigin originOf(uintptr_t address);
  Entry *entry_;
};

/// The instruction that a signal handler's third argument says was interrupted.
uintptr_t placeOf(void *context);

/// The programs that this thread is running, for the message.
struct RunningPrograms {
  uint64_t begin, end;
  const uint32_t *grid;
  const uint8_t *order; ///< Axes of the grid, the one that counts fastest first.
  /// Where the number of the one that runs is; what is not in the range says nothing.
  const volatile uint64_t *note;
};
extern thread_local constinit RunningPrograms runningPrograms;
/// " in program (3, 0, 0)", or from which to which before the first has begun; empty outside of
/// programs. Safe in a signal handler.
void tellPrograms(char *text, size_t size);
/// "k.py:14:5"; empty where no line is known. Safe in a signal handler.
void tellPlace(const CodePlace &place, char *text, size_t size);

/// Called with a fault inside a kernel, before anything is told of it. What it does not return from
/// is over.
using FaultCatcher = void (*)(const CodeOrigin &origin, int signal, const siginfo_t *info);
void setFaultCatcher(FaultCatcher catcher);

} // namespace tilewise
