// Host memory here; GPUs by way of the driver's functions.
#include "runtime/Device.h"

#include "artifact/Target.h"
#include "runtime/CudaDevice.h"
#include "runtime/profile/Profile.h"
#include "support/Engines.h"
#include "support/Knobs.h"

#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace tilewise {

#if TILEWISE_HAS_CPU_ENGINE
static constexpr bool kHasCpu = true;
#else
static constexpr bool kHasCpu = false;
#endif
#if TILEWISE_WITH_NVPTX
static constexpr bool kHasNvidia = true;
#else
static constexpr bool kHasNvidia = false;
#endif

static constexpr size_t kLargePage = 2 << 20;

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
    return kHasCpu;
  case TW_ENGINE_CUDA: {
    if (!kHasNvidia)
      return 0;
    Result<int> count = cuda::countDevices();
    return count ? *count : 0;
  }
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
    if (!kHasCpu)
      return launchFailure("this library was built without the CPU engine");
    target.engine = Engine::Cpu;
    target.cpu = knobs::cpu();
    return target;
  case TW_ENGINE_CUDA: {
    if (!kHasNvidia)
      return launchFailure("this library was built without the NVIDIA engine");
    Result<int> capability = cuda::deviceCapability(device.index);
    if (!capability)
      return capability.takeFailure();
    target.engine = Engine::Nvidia;
    target.capability = *capability;
    return target;
  }
  }
  return launchFailure(deviceText(device));
}

Result<std::string> deviceName(tw_device device) {
  if (!isHost(device))
    return cuda::deviceName(device.index);
  Result<Target> target = deviceTarget(device);
  if (!target)
    return target.takeFailure();
  return target->engine == Engine::Reference ? "reference engine" : llvm::sys::getHostCPUName().str();
}

Result<void> makeCurrent(tw_device device) { return isHost(device) ? Result<void>() : cuda::makeCurrent(device.index); }

Result<void *> allocateOn(tw_device device, size_t bytes) {
  if (Result<Target> target = deviceTarget(device); !target)
    return target.takeFailure();
  if (!isHost(device))
    return cuda::allocate(device.index, bytes);
  // Blocks of matrices have rows in as many pages, more than the processor knows the places of:
  // whole large pages where they are to be had.
  const size_t alignment = bytes < 2 * kLargePage ? 64 : kLargePage;
  const size_t rounded = bytes < 64 ? 64 : (bytes + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, rounded);
  if (!memory)
    return launchFailure("out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
  if (alignment == kLargePage)
    madvise(memory, rounded, MADV_HUGEPAGE);
  std::memset(memory, 0, rounded);
  return memory;
}

void freeOn(tw_device device, void *memory) {
  if (isHost(device))
    std::free(memory);
  else
    cuda::release(device.index, memory);
}

/// Copies between the host and a device, and records that where a profile is taken.
static Result<void> copy(tw_device device, void *to, const void *from, size_t bytes, const std::string &direction,
                         Result<void> (*onGpu)(int, void *, const void *, size_t)) {
  const profile::Span span(profile::Kind::Copy, direction);
  if (!isHost(device)) {
    if (Result<void> done = onGpu(device.index, to, from, bytes); !done)
      return done;
  } else if (bytes) {
    std::memcpy(to, from, bytes);
  }
  if (span.isRecorded())
    profile::add(profile::Kind::Copy, direction, "", deviceText(device), span.start(), bytes);
  return {};
}

Result<void> copyToDevice(tw_device device, void *to, const void *from, size_t bytes) {
  return copy(device, to, from, bytes, "to the device", cuda::copyToDevice);
}

Result<void> copyToHost(tw_device device, void *to, const void *from, size_t bytes) {
  return copy(device, to, from, bytes, "to the host", cuda::copyToHost);
}

Result<void *> createStream(tw_device device) {
  if (isHost(device))
    return static_cast<void *>(nullptr);
  return cuda::createStream(device.index);
}

Result<void> destroyStream(tw_device device, void *stream) {
  return isHost(device) ? Result<void>() : cuda::destroyStream(device.index, stream);
}

Result<void> synchronizeStream(tw_device device, void *stream) {
  return isHost(device) ? Result<void>() : cuda::synchronizeStream(device.index, stream);
}

Result<void> synchronizeDevice(tw_device device) {
  return isHost(device) ? Result<void>() : cuda::synchronizeDevice(device.index);
}

} // namespace tilewise
