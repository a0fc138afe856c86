// Each function: the device's context first, then one or two calls of the driver.
#include "runtime/CudaStreams.h"

#include "runtime/CudaCall.h"
#include "support/Try.h"

#include <array>
#include <mutex>
#include <string>

namespace tilewise::cuda {

namespace {

// Numbers from the driver's interface.
constexpr int kNotReady = 600, kCaptureRelaxed = 2;
constexpr int kReleaseThreshold = 4, kReservedNow = 5, kUsedNow = 7; ///< Attributes of a pool.

/// Whether a query says that something is done.
template <typename Query> Result<bool> isDone(int index, const char *what, Query query) {
  TILEWISE_TRY(const Driver *driver, enter(index));
  const int code = query(*driver);
  if (code != 0 && code != kNotReady)
    return driver->failure(code, what);
  return code == 0;
}

/// As the driver declares it.
struct PoolProperties {
  int allocationType = 1; ///< Memory that stays where it is.
  int handleTypes = 0;
  int locationType = 1; ///< A device, of this number:
  int location = 0;
  void *securityAttributes = nullptr;
  size_t maxBytes = 0;
  unsigned char rest[56] = {};
};
static_assert(sizeof(PoolProperties) == 88);

/// The device's pool, made at the first call and kept until the process ends. It is our own: the
/// device's default pool is shared with other libraries, which may not want it to keep memory.
Result<void *> poolOf(int index) {
  static std::mutex mutex;
  static std::array<void *, 64> pools{};
  TILEWISE_TRY(const Driver *driver, enter(index));
  std::lock_guard lock(mutex);
  void *&pool = pools.at(size_t(index));
  if (pool)
    return pool;
  PoolProperties properties;
  properties.location = index;
  uint64_t keepAll = UINT64_MAX;
  void *made = nullptr;
  int code = driver->cuMemPoolCreate(&made, &properties);
  if (code == 0)
    code = driver->cuMemPoolSetAttribute(made, kReleaseThreshold, &keepAll);
  if (code != 0)
    return driver->failure(code, "make a pool of memory on cuda:" + std::to_string(index));
  return pool = made;
}

} // namespace

Result<void *> createEvent(int index) {
  void *event = nullptr;
  TILEWISE_CHECK(call(index, "create an event", [&](const Driver &on) { return on.cuEventCreate(&event, 0); }));
  return event;
}

Result<void> destroyEvent(int index, void *event) {
  return call(index, "destroy an event", [&](const Driver &on) { return on.cuEventDestroy_v2(event); });
}

Result<void> recordEvent(int index, void *event, void *stream) {
  return call(index, "record an event", [&](const Driver &on) { return on.cuEventRecord(event, stream); });
}

Result<void> synchronizeEvent(int index, void *event) {
  return call(index, "wait for an event", [&](const Driver &on) { return on.cuEventSynchronize(event); });
}

Result<bool> isEventDone(int index, void *event) {
  return isDone(index, "ask for an event", [&](const Driver &on) { return on.cuEventQuery(event); });
}

Result<double> millisecondsBetween(int index, void *start, void *end) {
  float milliseconds = 0;
  TILEWISE_CHECK(call(index, "read the time between two events",
                      [&](const Driver &on) { return on.cuEventElapsedTime(&milliseconds, start, end); }));
  return double(milliseconds);
}

Result<void> waitForEvent(int index, void *stream, void *event) {
  return call(index, "have a stream wait", [&](const Driver &on) { return on.cuStreamWaitEvent(stream, event, 0); });
}

Result<bool> isStreamDone(int index, void *stream) {
  return isDone(index, "ask for a stream", [&](const Driver &on) { return on.cuStreamQuery(stream); });
}

Result<void *> allocateHost(int index, size_t bytes) {
  void *memory = nullptr;
  const std::string what = "allocate " + std::to_string(bytes) + " bytes of pinned memory";
  // 1: every context of the process may use it.
  TILEWISE_CHECK(
      call(index, what.c_str(), [&](const Driver &on) { return on.cuMemHostAlloc(&memory, bytes ? bytes : 1, 1); }));
  return memory;
}

void releaseHost(int index, void *memory) {
  // At the end of the process the driver may be gone first.
  (void)bool(call(index, "free pinned memory", [&](const Driver &on) { return on.cuMemFreeHost(memory); }));
}

Result<void> copyToDevice(int index, void *to, const void *from, size_t bytes, void *stream) {
  return call(index, "copy to the GPU",
              [&](const Driver &on) { return bytes ? on.cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream) : 0; });
}

Result<void> copyToHost(int index, void *to, const void *from, size_t bytes, void *stream) {
  return call(index, "copy from the GPU",
              [&](const Driver &on) { return bytes ? on.cuMemcpyDtoHAsync_v2(to, address(from), bytes, stream) : 0; });
}

Result<void *> allocateOn(int index, size_t bytes, void *stream) {
  TILEWISE_TRY(void *pool, poolOf(index));
  uint64_t memory = 0;
  const size_t atLeastOne = bytes ? bytes : 1;
  const std::string what = "allocate " + std::to_string(bytes) + " bytes on cuda:" + std::to_string(index);
  TILEWISE_CHECK(call(index, what.c_str(), [&](const Driver &on) {
    const int code = on.cuMemAllocFromPoolAsync(&memory, atLeastOne, pool, stream);
    return code ? code : on.cuMemsetD8Async(memory, 0, atLeastOne, stream);
  }));
  return reinterpret_cast<void *>(memory);
}

void releaseOn(int index, void *memory, void *stream) {
  (void)bool(call(index, "free memory", [&](const Driver &on) { return on.cuMemFreeAsync(address(memory), stream); }));
}

Result<PoolBytes> poolBytes(int index) {
  TILEWISE_TRY(void *pool, poolOf(index));
  PoolBytes bytes;
  TILEWISE_CHECK(call(index, "ask a pool of memory for its size", [&](const Driver &on) {
    const int code = on.cuMemPoolGetAttribute(pool, kUsedNow, &bytes.used);
    return code ? code : on.cuMemPoolGetAttribute(pool, kReservedNow, &bytes.reserved);
  }));
  return bytes;
}

Result<void> trimPool(int index) {
  TILEWISE_TRY(void *pool, poolOf(index));
  return call(index, "give memory back", [&](const Driver &on) { return on.cuMemPoolTrimTo(pool, 0); });
}

Result<void> beginGraph(int index, void *stream) {
  if (!stream)
    return launchFailure("a graph is recorded from a stream of its own, not from the default one: create a stream, and "
                         "launch on it");
  return call(index, "record a graph",
              [&](const Driver &on) { return on.cuStreamBeginCapture_v2(stream, kCaptureRelaxed); });
}

Result<void *> endGraph(int index, void *stream) {
  TILEWISE_TRY(const Driver *driver, enter(index));
  void *graph = nullptr, *executable = nullptr;
  Result<void> ended = driver->check(driver->cuStreamEndCapture(stream, &graph), "record a graph");
  if (ended)
    ended =
        driver->check(driver->cuGraphInstantiateWithFlags(&executable, graph, 0), "make a graph that can be launched");
  if (graph)
    driver->cuGraphDestroy(graph);
  if (!ended)
    return ended.takeFailure();
  return executable;
}

Result<void> launchGraph(int index, void *graph, void *stream) {
  return call(index, "launch a graph", [&](const Driver &on) { return on.cuGraphLaunch(graph, stream); });
}

Result<void> destroyGraph(int index, void *graph) {
  return call(index, "destroy a graph", [&](const Driver &on) { return on.cuGraphExecDestroy(graph); });
}

} // namespace tilewise::cuda
