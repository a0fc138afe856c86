// The table of the host's functions: libdevice, the clock, and what LLVM's x86 back end calls on
// its own.
#include "runtime/HostFunctions.h"

#include "artifact/HostNames.h"
#include "libdevice/Libdevice.h"
#include "runtime/CpuCall.h"

#include "llvm/ADT/StringSwitch.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <sched.h>

namespace tilewise {

/// A clock in nanoseconds that does not go back.
static int64_t readTimer() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

static int32_t readProcessor() { return std::max(0, sched_getcpu()); }

template <typename Function> static void *addressOf(Function *function) { return reinterpret_cast<void *>(function); }

void *hostFunction(llvm::StringRef name) {
  llvm::StringRef symbol = name;
  if (symbol.consume_front(cpu::kLibdevicePrefix)) {
    const libdevice::Function *function = libdevice::findSymbol(symbol);
    return function ? addressOf(function->apply) : nullptr;
  }
  return llvm::StringSwitch<void *>(name)
      .Case(cpu::kDelegated, addressOf(runDelegated))
      .Case("tilewise_globaltimer", addressOf(readTimer))
      .Case("tilewise_smid", addressOf(readProcessor))
      // Block copies.
      .Case("memcpy", addressOf(static_cast<void *(*)(void *, const void *, size_t)>(&std::memcpy)))
      .Case("memmove", addressOf(static_cast<void *(*)(void *, const void *, size_t)>(&std::memmove)))
      .Case("memset", addressOf(static_cast<void *(*)(void *, int, size_t)>(&std::memset)))
      // A fused multiply-add of f64 on processors without the instruction; no arithmetic of
      // moderate size makes it exact.
      .Case("fma", addressOf(static_cast<double (*)(double, double, double)>(&std::fma)))
      .Default(nullptr);
}

} // namespace tilewise
