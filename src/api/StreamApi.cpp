// tw_event_*, tw_graph_*, and the memory and copies of streams.
#include "api/Status.h"
#include "runtime/Streams.h"
#include "support/Try.h"

using namespace tilewise;

/// Calls something and hands on what it gives.
template <typename T, typename Make> static tw_status give(T *to, Make make) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(*to, make());
    return {};
  });
}

tw_status tw_event_create(tw_device device, void **event) {
  return give(event, [&] { return createEvent(device); });
}

tw_status tw_event_destroy(tw_device device, void *event) {
  return guarded([&] { return destroyEvent(device, event); });
}

tw_status tw_event_record(tw_device device, void *event, void *stream) {
  return guarded([&] { return recordEvent(device, event, stream); });
}

tw_status tw_event_synchronize(tw_device device, void *event) {
  return guarded([&] { return synchronizeEvent(device, event); });
}

tw_status tw_event_is_done(tw_device device, void *event, bool *done) {
  return give(done, [&] { return isEventDone(device, event); });
}

tw_status tw_event_elapsed(tw_device device, void *start, void *end, double *milliseconds) {
  return give(milliseconds, [&] { return millisecondsBetween(device, start, end); });
}

tw_status tw_stream_wait(tw_device device, void *stream, void *event) {
  return guarded([&] { return waitForEvent(device, stream, event); });
}

tw_status tw_stream_is_done(tw_device device, void *stream, bool *done) {
  return give(done, [&] { return isStreamDone(device, stream); });
}

tw_status tw_host_allocate(tw_device device, size_t bytes, void **memory) {
  return give(memory, [&] { return allocatePinned(device, bytes); });
}

void tw_host_free(tw_device device, void *memory) { freePinned(device, memory); }

tw_status tw_device_held_memory(tw_device device, tw_held_memory *held) {
  return give(held, [&] { return heldMemory(device); });
}

tw_status tw_device_trim(tw_device device) {
  return guarded([&] { return trimMemory(device); });
}

tw_status tw_graph_begin(tw_device device, void *stream) {
  return guarded([&] { return beginGraph(device, stream); });
}

tw_status tw_graph_end(tw_device device, void *stream, void **graph) {
  return give(graph, [&] { return endGraph(device, stream); });
}

tw_status tw_graph_launch(tw_device device, void *graph, void *stream) {
  return guarded([&] { return launchGraph(device, graph, stream); });
}

tw_status tw_graph_destroy(tw_device device, void *graph) {
  return guarded([&] { return destroyGraph(device, graph); });
}
