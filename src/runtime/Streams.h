// What streams can do beside launches, the same for every engine: events, copies, memory and graphs
// in a stream's order. include/tilewise/stream.h says what each means.
//
// Engines on the host have finished a launch when it returns: an event notes the time, the rest is
// done at once.
#pragma once

#include "support/Error.h"
#include "tilewise/stream.h"

namespace tilewise {

Result<void *> createEvent(tw_device device);
Result<void> destroyEvent(tw_device device, void *event);
Result<void> recordEvent(tw_device device, void *event, void *stream);
Result<void> synchronizeEvent(tw_device device, void *event);
Result<bool> isEventDone(tw_device device, void *event);
Result<double> millisecondsBetween(tw_device device, void *start, void *end);
Result<void> waitForEvent(tw_device device, void *stream, void *event);
Result<bool> isStreamDone(tw_device device, void *stream);

Result<void *> allocatePinned(tw_device device, size_t bytes);
void freePinned(tw_device device, void *memory);
Result<void> queueCopyToDevice(tw_device device, void *to, const void *from, size_t bytes, void *stream);
Result<void> queueCopyToHost(tw_device device, void *to, const void *from, size_t bytes, void *stream);
/// Zeroed memory, as Device.h's allocateOn.
Result<void *> allocateInOrder(tw_device device, size_t bytes, void *stream);
void freeInOrder(tw_device device, void *memory, void *stream);
Result<tw_held_memory> heldMemory(tw_device device);
Result<void> trimMemory(tw_device device);

Result<void> beginGraph(tw_device device, void *stream);
Result<void *> endGraph(tw_device device, void *stream);
Result<void> launchGraph(tw_device device, void *graph, void *stream);
Result<void> destroyGraph(tw_device device, void *graph);

} // namespace tilewise
