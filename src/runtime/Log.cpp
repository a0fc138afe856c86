// The callbacks and the chosen warnings, with their locks.
#include "runtime/Log.h"

#include "runtime/ProcessWide.h"
#include "support/Knobs.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/xxhash.h"

#include <cstdio>
#include <mutex>

namespace tilewise {

namespace {
struct Sink {
  // never held during a callback, which may wait for a lock of the host that another caller holds
  std::mutex mutex;
  tw_log_callback callback = nullptr;
  void *user = nullptr;
  tw_print_callback printCallback = nullptr;
  void *printUser = nullptr;
  /// Hashes of the compiler's texts on standard error: a compile for another signature, or for the
  /// next config, has the same to say.
  llvm::DenseSet<uint64_t> printed;
};
} // namespace

static constinit ProcessWide<Sink, ForkLock::Log> sink;
[[maybe_unused]] static const bool isSinkForkReady = sink.registerForFork<sink>();

void setLogCallback(tw_log_callback callback, void *user) {
  std::lock_guard lock(sink->mutex);
  sink->callback = callback;
  sink->user = user;
}

static void tell(tw_log_level level, const std::string &message, bool isPrinted, bool isPrintedOnce = false) {
  std::unique_lock lock(sink->mutex);
  tw_log_callback callback = sink->callback;
  void *user = sink->user;
  if (!callback && isPrintedOnce && !sink->printed.insert(llvm::xxh3_64bits(message)).second)
    return;
  lock.unlock();
  const CompilePause pause;
  if (callback)
    return callback(level, message.c_str(), user);
  if (!isPrinted)
    return;
  // Those of the compiler end their last line themselves.
  const std::string line = llvm::StringRef(message).rtrim('\n').str() + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void log(tw_log_level level, const std::string &message) { tell(level, message, level == TW_LOG_WARNING); }

void logAsked(const std::string &message) { tell(TW_LOG_INFO, message, /*isPrinted=*/true); }

void logOfCompiler(Severity severity, const std::string &text) {
  const bool isWarning = severity != Severity::Note;
  tell(isWarning ? TW_LOG_WARNING : TW_LOG_INFO, text, isWarning, /*isPrintedOnce=*/true);
}

void log(const Diagnostics &diagnostics) {
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity == Severity::Error)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    renderDiagnostic(diagnostic, os);
    logOfCompiler(diagnostic.severity, text);
  }
}

namespace {
struct Chosen {
  std::mutex mutex;
  WarningSet set;

  Chosen() {
    // A misspelt name in the variable must not stop a program: what was understood before it stays.
    if (Result<void> read = set.applyAll(knobs::warnings()); !read)
      log(TW_LOG_WARNING, "TILEWISE_WARNINGS: " + read.failure().message);
  }
};
} // namespace

static constinit ProcessWide<Chosen, ForkLock::Warnings> chosen;
[[maybe_unused]] static const bool isChosenForkReady = chosen.registerForFork<chosen>();

WarningSet warnings() {
  std::lock_guard lock(chosen->mutex);
  return chosen->set;
}

Result<void> setWarnings(llvm::StringRef flags) {
  WarningSet set;
  if (Result<void> read = set.applyAll(flags); !read)
    return read;
  std::lock_guard lock(chosen->mutex);
  chosen->set = set;
  return {};
}

void setPrintCallback(tw_print_callback callback, void *user) {
  std::lock_guard lock(sink->mutex);
  sink->printCallback = callback;
  sink->printUser = user;
}

void print(const std::string &text) {
  std::unique_lock lock(sink->mutex);
  tw_print_callback callback = sink->printCallback;
  void *user = sink->printUser;
  lock.unlock();
  if (callback)
    return callback(text.c_str(), user);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

} // namespace tilewise
