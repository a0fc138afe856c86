// GPUs: counting, naming, memory, copies, streams. Each works in the device's primary context,
// which other libraries in the process share.
#pragma once

#include "support/Error.h"

#include <cstddef>
#include <string>

namespace tilewise::cuda {

struct Driver;

/// How many GPUs this process can use, or why none.
Result<int> countDevices();
Result<std::string> deviceName(int index);
/// 10 * major + minor, such as 90.
Result<int> deviceCapability(int index);
/// The driver, with the device's primary context current on the calling thread.
Result<const Driver *> enter(int index);
/// Makes the device's primary context the calling thread's; does nothing if it is already.
Result<void> makeCurrent(int index);

/// Zeroed memory; at least one byte.
Result<void *> allocate(int index, size_t bytes);
void release(int index, void *memory);
Result<void> copyToDevice(int index, void *to, const void *from, size_t bytes);
Result<void> copyToHost(int index, void *to, const void *from, size_t bytes);

Result<void *> createStream(int index);
Result<void> destroyStream(int index, void *stream);
Result<void> synchronizeStream(int index, void *stream);
Result<void> synchronizeDevice(int index);
/// Every byte of some memory.
Result<void> fill(int index, void *memory, unsigned char value, size_t bytes);

} // namespace tilewise::cuda
