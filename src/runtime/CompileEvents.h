// What is compiled, and why: each compile, or recall from the disk cache, is counted and told to
// the host.
#pragma once

#include "artifact/LaunchOptions.h"
#include "runtime/Specialize.h"
#include "tilewise/runtime.h"

#include <span>
#include <string>
#include <vector>

namespace tilewise {

struct CompileEvent {
  std::string kernel, signature, target, reason;
  bool isRecalled = false;
  double milliseconds = 0;
};

/// Counts it, and calls the host's callback.
void tellCompile(const CompileEvent &event);
void setCompileCallback(tw_compile_callback callback, void *user);
/// How many kernels this process compiled, and how many it recalled.
void countCompiles(uint64_t &compiled, uint64_t &recalled);

/// Words of a key before the arguments': device and options.
inline constexpr size_t kKeyHead = 2;
/// The second of them.
uint64_t packOptions(const LaunchOptions &options);

/// Why no variant serves this key: what differs from the one that is nearest to it.
std::string whyCompile(std::span<const Parameter> parameters, std::span<const uint64_t> key,
                       std::span<const std::span<const uint64_t>> known);

} // namespace tilewise
