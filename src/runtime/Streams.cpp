// Events that note the time, and memory, of the host here; GPUs by way of the driver's functions.
#include "runtime/Streams.h"

#include "runtime/CudaStreams.h"
#include "runtime/Device.h"
#include "support/Try.h"

#include <chrono>
#include <optional>

namespace tilewise {

namespace {

using Clock = std::chrono::steady_clock;

/// What an event is on the host.
struct Moment {
  std::optional<Clock::time_point> when;
};

Moment *momentOf(void *event) { return static_cast<Moment *>(event); }

Failure noGraphs(tw_device device) {
  return launchFailure("'" + deviceText(device) +
                       "' has finished a launch when it returns: there is nothing to record, graphs need a GPU");
}

} // namespace

Result<void *> createEvent(tw_device device) {
  if (!isHost(device))
    return cuda::createEvent(device.index);
  return static_cast<void *>(new Moment);
}

Result<void> destroyEvent(tw_device device, void *event) {
  if (!isHost(device))
    return cuda::destroyEvent(device.index, event);
  delete momentOf(event);
  return {};
}

Result<void> recordEvent(tw_device device, void *event, void *stream) {
  if (!isHost(device))
    return cuda::recordEvent(device.index, event, stream);
  momentOf(event)->when = Clock::now();
  return {};
}

Result<void> synchronizeEvent(tw_device device, void *event) {
  return isHost(device) ? Result<void>() : cuda::synchronizeEvent(device.index, event);
}

Result<bool> isEventDone(tw_device device, void *event) {
  if (!isHost(device))
    return cuda::isEventDone(device.index, event);
  return true;
}

Result<double> millisecondsBetween(tw_device device, void *start, void *end) {
  if (!isHost(device))
    return cuda::millisecondsBetween(device.index, start, end);
  if (!momentOf(start)->when || !momentOf(end)->when)
    return launchFailure("cannot read the time between two events: one of them has not been recorded");
  return std::chrono::duration<double, std::milli>(*momentOf(end)->when - *momentOf(start)->when).count();
}

Result<void> waitForEvent(tw_device device, void *stream, void *event) {
  return isHost(device) ? Result<void>() : cuda::waitForEvent(device.index, stream, event);
}

Result<bool> isStreamDone(tw_device device, void *stream) {
  if (!isHost(device))
    return cuda::isStreamDone(device.index, stream);
  return true;
}

Result<void *> allocatePinned(tw_device device, size_t bytes) {
  return isHost(device) ? allocateOn(device, bytes) : cuda::allocateHost(device.index, bytes);
}

void freePinned(tw_device device, void *memory) {
  if (isHost(device))
    freeOn(device, memory);
  else
    cuda::releaseHost(device.index, memory);
}

Result<void> queueCopyToDevice(tw_device device, void *to, const void *from, size_t bytes, void *stream) {
  return isHost(device) ? copyToDevice(device, to, from, bytes)
                        : cuda::copyToDevice(device.index, to, from, bytes, stream);
}

Result<void> queueCopyToHost(tw_device device, void *to, const void *from, size_t bytes, void *stream) {
  return isHost(device) ? copyToHost(device, to, from, bytes) : cuda::copyToHost(device.index, to, from, bytes, stream);
}

Result<void *> allocateInOrder(tw_device device, size_t bytes, void *stream) {
  return isHost(device) ? allocateOn(device, bytes) : cuda::allocateOn(device.index, bytes, stream);
}

void freeInOrder(tw_device device, void *memory, void *stream) {
  if (isHost(device))
    freeOn(device, memory);
  else
    cuda::releaseOn(device.index, memory, stream);
}

Result<tw_held_memory> heldMemory(tw_device device) {
  if (isHost(device))
    return tw_held_memory{};
  TILEWISE_TRY(const cuda::PoolBytes bytes, cuda::poolBytes(device.index));
  return tw_held_memory{bytes.used, bytes.reserved};
}

Result<void> trimMemory(tw_device device) { return isHost(device) ? Result<void>() : cuda::trimPool(device.index); }

Result<void> beginGraph(tw_device device, void *stream) {
  return isHost(device) ? Result<void>(noGraphs(device)) : cuda::beginGraph(device.index, stream);
}

Result<void *> endGraph(tw_device device, void *stream) {
  return isHost(device) ? Result<void *>(noGraphs(device)) : cuda::endGraph(device.index, stream);
}

Result<void> launchGraph(tw_device device, void *graph, void *stream) {
  return isHost(device) ? Result<void>(noGraphs(device)) : cuda::launchGraph(device.index, graph, stream);
}

Result<void> destroyGraph(tw_device device, void *graph) {
  return isHost(device) ? Result<void>(noGraphs(device)) : cuda::destroyGraph(device.index, graph);
}

} // namespace tilewise
