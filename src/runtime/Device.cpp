// Host memory here; GPUs by way of the driver's functions.
#include "runtime/Device.h"

#include "target/Target.h"

#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <cstring>

namespace tilewise {

std::string deviceText(tw_device device) {
  switch (device.engine) {
  case TW_ENGINE_REFERENCE:
    return "reference";
  case TW_ENGINE_CPU:
    return "cpu";
  case TW_ENGINE_CUDA:
    return "cuda:" + std::to_string(device.index);
  }
  return "device of unknown engine " + std::to_string(device.engine);
}

Result<tw_device> parseDevice(const std::string &text) {
  auto [engine, index] = llvm::StringRef(text).split(':');
  tw_device device{TW_ENGINE_CPU, 0};
  if (text == "reference") {
    device.engine = TW_ENGINE_REFERENCE;
    return device;
  }
  if (text == "cpu")
    return device;
  if (engine == "cuda" && (text == "cuda" || !index.getAsInteger(10, device.index)) && device.index >= 0) {
    device.engine = TW_ENGINE_CUDA;
    return device;
  }
  return launchFailure("unknown device '" + text + "': expected reference, cpu, cuda or cuda:INDEX");
}

int32_t deviceCount(tw_engine engine) {
  switch (engine) {
  case TW_ENGINE_REFERENCE:
    return 1;
  case TW_ENGINE_CPU:
#if TILEWISE_WITH_X86
    return 1;
#else
    return 0;
#endif
  case TW_ENGINE_CUDA:
    return 0;
  }
  return 0;
}

Result<Target> deviceTarget(tw_device device) {
  Target target;
  switch (device.engine) {
  case TW_ENGINE_REFERENCE:
    target.engine = Engine::Reference;
    return target;
  case TW_ENGINE_CPU:
    if (deviceCount(TW_ENGINE_CPU) == 0)
      return launchFailure("this library was built without the CPU engine");
    target.engine = Engine::Cpu;
    return target;
  case TW_ENGINE_CUDA:
    return launchFailure("no CUDA");
  }
  return launchFailure(deviceText(device));
}

Result<std::string> deviceName(tw_device device) {
  Result<Target> target = deviceTarget(device);
  if (!target)
    return target.takeFailure();
  if (device.engine == TW_ENGINE_REFERENCE)
    return std::string("reference engine");
  return llvm::sys::getHostCPUName().str();
}

Result<void> makeCurrent(tw_device device) { return {}; }

Result<void *> allocateOn(tw_device device, size_t bytes) {
  if (Result<Target> target = deviceTarget(device); !target)
    return target.takeFailure();
  const size_t rounded = bytes < 64 ? 64 : (bytes + 63) / 64 * 64;
  void *memory = std::aligned_alloc(64, rounded);
  if (!memory)
    return launchFailure("out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
  std::memset(memory, 0, rounded);
  return memory;
}

void freeOn(tw_device device, void *memory) { std::free(memory); }

Result<void> copyToDevice(tw_device device, void *to, const void *from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return {};
}

Result<void> copyToHost(tw_device device, void *to, const void *from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return {};
}

Result<void *> createStream(tw_device device) { return static_cast<void *>(nullptr); }
Result<void> destroyStream(tw_device device, void *stream) { return {}; }
Result<void> synchronizeStream(tw_device device, void *stream) { return {}; }
Result<void> synchronizeDevice(tw_device device) { return {}; }

} // namespace tilewise
