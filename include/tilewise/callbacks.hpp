// What the library asks of its host, in C++: where its warnings and prints go, whether a launch is
// to end, whose threads programs run on; tilewise.hpp includes this.
//
// Set these while no launch is under way. All but the executor may be called from several threads
// at once. An empty function means the library's own way again.
#ifndef TILEWISE_CALLBACKS_HPP
#define TILEWISE_CALLBACKS_HPP

#include "error.hpp"
#include "runtime.h"

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewise {
inline namespace api { // See error.hpp.

enum class LogLevel { Info = TW_LOG_INFO, Warning = TW_LOG_WARNING };

/// Where the compiler's warnings and notes go. The library's own way: warnings to standard error.
inline void setLogCallback(std::function<void(LogLevel, std::string_view)> callback) {
  static std::function<void(LogLevel, std::string_view)> current;
  tw_set_log_callback(nullptr, nullptr);
  current = std::move(callback);
  if (current)
    tw_set_log_callback([](tw_log_level level, const char *message, void *) { current(LogLevel(level), message); },
                        nullptr);
}

/// Switches the compiler's warnings, as in "no-mask-other,error"; see tw_set_warnings.
inline void setWarnings(const std::string &flags) { detail::check(tw_set_warnings(flags.c_str())); }

/// Where the lines go that kernels print (tl.device_print). The library's own way: standard output.
inline void setPrintCallback(std::function<void(std::string_view)> callback) {
  static std::function<void(std::string_view)> current;
  tw_set_print_callback(nullptr, nullptr);
  current = std::move(callback);
  if (current)
    tw_set_print_callback([](const char *text, void *) { current(text); }, nullptr);
}

/// Asked now and then by launches on a CPU that take long, on the thread that launched: true ends
/// the launch between two programs, with a LaunchError; what it throws is thrown by the launch.
inline void setInterruptCallback(std::function<bool()> callback) {
  static std::function<bool()> current;
  tw_set_interrupt_callback(nullptr, nullptr);
  current = std::move(callback);
  if (!current)
    return;
  tw_set_interrupt_callback(
      [](void *) {
        try {
          return current();
        } catch (...) {
          detail::callbackException() = std::current_exception();
          return true;
        }
      },
      nullptr);
}

/// Told of each kernel that a launch needed and this process did not have, on the thread that
/// launched; see tw_compile_event.
inline void setCompileCallback(std::function<void(const tw_compile_event &)> callback) {
  static std::function<void(const tw_compile_event &)> current;
  tw_set_compile_callback(nullptr, nullptr);
  current = std::move(callback);
  if (current)
    tw_set_compile_callback([](const tw_compile_event *event, void *) { current(*event); }, nullptr);
}

/// Has launches on the CPU engine run on the host's threads: `run(count, task)` calls task(0) to
/// task(count - 1) on any threads, and returns when all have returned. What it throws is thrown by
/// the launch. `threads` is how many tasks to make at most; 0: as many as the library would have
/// threads. See docs/threads.md.
inline void setExecutor(std::function<void(std::size_t count, const std::function<void(std::size_t)> &task)> run,
                        unsigned threads = 0) {
  static std::function<void(std::size_t, const std::function<void(std::size_t)> &)> current;
  detail::check(tw_set_executor(nullptr));
  current = std::move(run);
  if (!current)
    return;
  tw_executor executor = {};
  executor.struct_size = sizeof executor;
  executor.threads = threads;
  executor.run = [](void *, std::size_t count, void (*task)(void *, std::size_t), void *context) {
    try {
      current(count, [&](std::size_t index) { task(context, index); });
      return true;
    } catch (...) {
      detail::callbackException() = std::current_exception();
      return false;
    }
  };
  detail::check(tw_set_executor(&executor));
}

} // namespace api
} // namespace tilewise

#endif
