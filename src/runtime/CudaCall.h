// One call of the driver, in the context of a device.
#pragma once

#include "runtime/CudaDevice.h"
#include "runtime/CudaDriver.h"

namespace tilewise::cuda {

/// Enters the device and calls `make` with the driver; `what` says what that was to do, should it
/// fail.
template <typename Call> Result<void> call(int index, const char *what, Call make) {
  Result<const Driver *> driver = enter(index);
  if (!driver)
    return driver.takeFailure();
  return (*driver)->check(make(**driver), what);
}

/// Memory as the driver counts it.
inline uint64_t address(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

} // namespace tilewise::cuda
