// Devices: names, targets, memory, copies and streams, the same for every engine.
#pragma once

#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <string>

namespace tilewise {

struct Target;

/// "reference", "cpu", "cuda", "cuda:1"
Result<tw_device> parseDevice(const std::string &text);
std::string deviceText(tw_device device);
int32_t deviceCount(tw_engine engine);
/// Fails for a device that this process does not have, saying why.
Result<Target> deviceTarget(tw_device device);
Result<std::string> deviceName(tw_device device);
inline bool isHost(tw_device device) { return device.engine != TW_ENGINE_CUDA; }

/// Makes a GPU the calling thread's; what is loaded next is loaded there. Nothing to do for the
/// others.
Result<void> makeCurrent(tw_device device);

/// Zeroed memory, at least 64-byte aligned; never null, even for 0 bytes.
Result<void *> allocateOn(tw_device device, size_t bytes);
void freeOn(tw_device device, void *memory);
Result<void> copyToDevice(tw_device device, void *to, const void *from, size_t bytes);
Result<void> copyToHost(tw_device device, void *to, const void *from, size_t bytes);

/// Streams.h has what else there is of streams.
Result<void *> createStream(tw_device device);
Result<void> destroyStream(tw_device device, void *stream);
Result<void> synchronizeStream(tw_device device, void *stream);
Result<void> synchronizeDevice(tw_device device);

} // namespace tilewise
