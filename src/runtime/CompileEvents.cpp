// The reason of a compile, the counters, and the host's callback.
#include "runtime/CompileEvents.h"

#include "frontend/Frontend.h"
#include "runtime/Fork.h"
#include "runtime/profile/Profile.h"

#include <atomic>
#include <mutex>

namespace tilewise {

uint64_t packOptions(const LaunchOptions &options) {
  return uint64_t(options.plainCopies) << 63 | uint64_t(options.maxRegisters) << 48 | uint64_t(options.numWarps) << 32 |
         options.numStages << 5 | uint32_t(options.overflowChecks) << 4 | uint32_t(options.checkedIfWarned) << 3 |
         uint32_t(options.checked) << 2 | uint32_t(options.debug) << 1 | uint32_t(options.fpFusion);
}

/// What differs between two keys, one text each: "argument 'n' is i32, was i32:16".
static std::vector<std::string> differences(std::span<const Parameter> parameters, std::span<const uint64_t> key,
                                            std::span<const uint64_t> other) {
  std::vector<std::string> found;
  if (key[0] != other[0])
    found.emplace_back("another device");
  auto option = [&](const char *name, uint64_t now, uint64_t before) {
    if (now != before)
      found.push_back(std::string(name) + " is " + std::to_string(now) + ", was " + std::to_string(before));
  };
  option("plain copies", key[1] >> 63, other[1] >> 63);
  option("max_registers", key[1] >> 48 & 0x7fff, other[1] >> 48 & 0x7fff);
  option("num_warps", uint16_t(key[1] >> 32), uint16_t(other[1] >> 32));
  option("num_stages", uint32_t(key[1]) >> 5, uint32_t(other[1]) >> 5);
  option("overflow checks", key[1] >> 4 & 1, other[1] >> 4 & 1);
  option("checked if warned", key[1] >> 3 & 1, other[1] >> 3 & 1);
  option("checked", key[1] >> 2 & 1, other[1] >> 2 & 1);
  option("debug", key[1] >> 1 & 1, other[1] >> 1 & 1);
  option("fp_fusion", key[1] & 1, other[1] & 1);
  const std::vector<frontend::ArgumentSpec> now = signatureOfKey(key, kKeyHead),
                                            before = signatureOfKey(other, kKeyHead);
  if (now.size() != before.size())
    found.emplace_back("another number of values in tuples");
  for (size_t i = 0; i < std::min(now.size(), before.size()); ++i)
    if (now[i] != before[i])
      found.push_back(
          (i < parameters.size() ? "argument '" + parameters[i].name + "'" : std::string("a tuple's value")) + " is " +
          frontend::printSignature(now[i]) + ", was " + frontend::printSignature(before[i]));
  return found;
}

std::string whyCompile(std::span<const Parameter> parameters, std::span<const uint64_t> key,
                       std::span<const std::span<const uint64_t>> known) {
  if (known.empty())
    return "first launch";
  // The latest among the nearest; of many variants the newest tell enough.
  constexpr size_t kLookedAt = 32;
  std::vector<std::string> nearest;
  const size_t first = known.size() > kLookedAt ? known.size() - kLookedAt : 0;
  for (size_t i = first; i < known.size(); ++i)
    if (std::vector<std::string> found = differences(parameters, key, known[i]);
        i == first || found.size() <= nearest.size())
      nearest = std::move(found);
  std::string text;
  for (const std::string &one : nearest)
    text += (text.empty() ? "" : "; ") + one;
  return text;
}

namespace {
struct Listener {
  std::mutex mutex; // Never held during a callback.
  tw_compile_callback callback = nullptr;
  void *user = nullptr;
  std::atomic<uint64_t> compiled{0}, recalled{0};
};
} // namespace

static Listener &listener() {
  static auto *made = new Listener;
  return *made;
}

void setCompileCallback(tw_compile_callback callback, void *user) {
  const CompileScope scope; // fork() waits for those who hold the lock.
  std::lock_guard lock(listener().mutex);
  listener().callback = callback;
  listener().user = user;
}

void countCompiles(uint64_t &compiled, uint64_t &recalled) {
  compiled = listener().compiled.load(std::memory_order_relaxed);
  recalled = listener().recalled.load(std::memory_order_relaxed);
}

void tellCompile(const CompileEvent &event) {
  (event.isRecalled ? listener().recalled : listener().compiled).fetch_add(1, std::memory_order_relaxed);
  if (profile::isOn())
    profile::add(event.isRecalled ? profile::Kind::Recall : profile::Kind::Compile, event.kernel,
                 "(" + event.signature + "): " + event.reason, event.target,
                 profile::Clock::now() - std::chrono::duration_cast<profile::Clock::duration>(
                                             std::chrono::duration<double, std::milli>(event.milliseconds)));
  std::unique_lock lock(listener().mutex);
  const tw_compile_callback callback = listener().callback;
  void *const user = listener().user;
  lock.unlock();
  if (!callback)
    return;
  const tw_compile_event told = {sizeof(tw_compile_event), event.isRecalled,     event.kernel.c_str(),
                                 event.signature.c_str(),  event.target.c_str(), event.reason.c_str(),
                                 event.milliseconds};
  const CompilePause pause;
  callback(&told, user);
}

} // namespace tilewise
