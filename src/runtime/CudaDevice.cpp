// Each function: the device's context first, then one call of the driver.
#include "runtime/CudaDevice.h"

#include "runtime/CudaCall.h"

#include <atomic>

namespace tilewise::cuda {

// Of the driver's enumeration of device attributes.
enum { kCapabilityMajor = 75, kCapabilityMinor = 76 };

static constexpr int kMaxDevices = 64;
/// Primary contexts retained so far; kept until the process ends, as the driver wants it for code
/// that is loaded in them.
static std::atomic<void *> contexts[kMaxDevices];

Result<int> countDevices() {
  Result<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.takeFailure();
  int count = 0;
  if (Result<void> done = (*driver)->check((*driver)->cuDeviceGetCount(&count), "count the GPUs"); !done)
    return done.takeFailure();
  return count < kMaxDevices ? count : kMaxDevices;
}

static Result<const Driver *> driverFor(int index) {
  Result<int> count = countDevices();
  if (!count)
    return count.takeFailure();
  if (index < 0 || index >= *count)
    return launchFailure("there is no device cuda:" + std::to_string(index) + ": this process can use " +
                         std::to_string(*count) + " GPUs");
  return Driver::get();
}

static Result<int> attribute(int index, int which) {
  Result<const Driver *> driver = driverFor(index);
  if (!driver)
    return driver.takeFailure();
  int device = 0, value = 0;
  int code = (*driver)->cuDeviceGet(&device, index);
  if (code == 0)
    code = (*driver)->cuDeviceGetAttribute(&value, which, device);
  if (code != 0)
    return (*driver)->failure(code, "ask the GPU for its attributes");
  return value;
}

Result<std::string> deviceName(int index) {
  Result<const Driver *> driver = driverFor(index);
  if (!driver)
    return driver.takeFailure();
  int device = 0;
  char name[256] = "";
  int code = (*driver)->cuDeviceGet(&device, index);
  if (code == 0)
    code = (*driver)->cuDeviceGetName(name, sizeof name, device);
  if (code != 0)
    return (*driver)->failure(code, "ask the GPU for its name");
  return std::string(name);
}

Result<int> deviceCapability(int index) {
  Result<int> major = attribute(index, kCapabilityMajor), minor = attribute(index, kCapabilityMinor);
  if (!major)
    return major.takeFailure();
  if (!minor)
    return minor.takeFailure();
  return 10 * *major + *minor;
}

Result<const Driver *> enter(int index) {
  Result<const Driver *> driver = Driver::get();
  if (!driver)
    return driver;
  void *context = index >= 0 && index < kMaxDevices ? contexts[index].load(std::memory_order_acquire) : nullptr;
  if (!context) {
    if (Result<const Driver *> checked = driverFor(index); !checked)
      return checked;
    int device = 0;
    int code = (*driver)->cuDeviceGet(&device, index);
    if (code == 0)
      code = (*driver)->cuDevicePrimaryCtxRetain(&context, device);
    if (code != 0)
      return (*driver)->failure(code, "use cuda:" + std::to_string(index));
    // Two threads may both retain it: one reference more, of the same context.
    contexts[index].store(context, std::memory_order_release);
  }
  void *current = nullptr;
  int code = (*driver)->cuCtxGetCurrent(&current);
  if (code == 0 && current != context)
    code = (*driver)->cuCtxSetCurrent(context);
  if (code != 0)
    return (*driver)->failure(code, "use cuda:" + std::to_string(index));
  return driver;
}

Result<void> makeCurrent(int index) {
  Result<const Driver *> driver = enter(index);
  if (!driver)
    return driver.takeFailure();
  return {};
}

Result<void> fill(int index, void *memory, unsigned char value, size_t bytes) {
  return call(index, "fill memory",
              [&](const Driver &driver) { return driver.cuMemsetD8_v2(address(memory), value, bytes); });
}

Result<void *> allocate(int index, size_t bytes) {
  uint64_t memory = 0;
  const size_t atLeastOne = bytes ? bytes : 1;
  const std::string what = "allocate " + std::to_string(bytes) + " bytes on cuda:" + std::to_string(index);
  Result<void> done = call(index, what.c_str(), [&](const Driver &driver) {
    const int code = driver.cuMemAlloc_v2(&memory, atLeastOne);
    return code ? code : driver.cuMemsetD8_v2(memory, 0, atLeastOne);
  });
  if (!done)
    return done.takeFailure();
  return reinterpret_cast<void *>(memory);
}

void release(int index, void *memory) {
  // At the end of the process the driver may be gone before our last tensor: nothing to free then.
  (void)bool(call(index, "free memory", [&](const Driver &driver) { return driver.cuMemFree_v2(address(memory)); }));
}

Result<void> copyToDevice(int index, void *to, const void *from, size_t bytes) {
  return call(index, "copy to the GPU",
              [&](const Driver &driver) { return bytes ? driver.cuMemcpyHtoD_v2(address(to), from, bytes) : 0; });
}

Result<void> copyToHost(int index, void *to, const void *from, size_t bytes) {
  return call(index, "copy from the GPU",
              [&](const Driver &driver) { return bytes ? driver.cuMemcpyDtoH_v2(to, address(from), bytes) : 0; });
}

Result<void *> createStream(int index) {
  void *stream = nullptr;
  Result<void> done =
      call(index, "create a stream", [&](const Driver &driver) { return driver.cuStreamCreate(&stream, 0); });
  if (!done)
    return done.takeFailure();
  return stream;
}

Result<void> destroyStream(int index, void *stream) {
  return call(index, "destroy a stream", [&](const Driver &driver) { return driver.cuStreamDestroy_v2(stream); });
}

Result<void> synchronizeStream(int index, void *stream) {
  return call(index, "wait for a stream", [&](const Driver &driver) { return driver.cuStreamSynchronize(stream); });
}

Result<void> synchronizeDevice(int index) {
  return call(index, "wait for the GPU", [&](const Driver &driver) { return driver.cuCtxSynchronize(); });
}

} // namespace tilewise::cuda
