// What a GPU's streams can do beside launches: events, copies, memory and graphs in their order.
#pragma once

#include "support/Error.h"

#include <cstddef>
#include <cstdint>

namespace tilewise::cuda {

Result<void *> createEvent(int index);
Result<void> destroyEvent(int index, void *event);
Result<void> recordEvent(int index, void *event, void *stream);
Result<void> synchronizeEvent(int index, void *event);
Result<bool> isEventDone(int index, void *event);
Result<double> millisecondsBetween(int index, void *start, void *end);
Result<void> waitForEvent(int index, void *stream, void *event);
Result<bool> isStreamDone(int index, void *stream);

/// Pinned.
Result<void *> allocateHost(int index, size_t bytes);
void releaseHost(int index, void *memory);
Result<void> copyToDevice(int index, void *to, const void *from, size_t bytes, void *stream);
Result<void> copyToHost(int index, void *to, const void *from, size_t bytes, void *stream);

/// Zeroed memory out of a pool of ours, which keeps what is freed.
Result<void *> allocateOn(int index, size_t bytes, void *stream);
void releaseOn(int index, void *memory, void *stream);
struct PoolBytes {
  uint64_t used = 0, reserved = 0;
};
Result<PoolBytes> poolBytes(int index);
Result<void> trimPool(int index);

/// Other threads go on as they are.
Result<void> beginGraph(int index, void *stream);
/// Ends the recording in every case.
Result<void *> endGraph(int index, void *stream);
Result<void> launchGraph(int index, void *graph, void *stream);
Result<void> destroyGraph(int index, void *graph);

} // namespace tilewise::cuda
