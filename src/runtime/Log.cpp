// The callback and its lock.
#include "runtime/Log.h"

#include <mutex>

namespace tilewise {

namespace {
struct Sink {
  std::recursive_mutex mutex; // a callback may itself call something that logs
  tw_log_callback callback = nullptr;
  void *user = nullptr;
};
} // namespace

static Sink &sink() {
  static Sink *made = new Sink;
  return *made;
}

void setLogCallback(tw_log_callback callback, void *user) {
  std::lock_guard lock(sink().mutex);
  sink().callback = callback;
  sink().user = user;
}

void log(tw_log_level level, const std::string &message) {
  std::lock_guard lock(sink().mutex);
  if (sink().callback)
    sink().callback(level, message.c_str(), sink().user);
}

} // namespace tilewise
