// A CUDA driver for tests on machines without a GPU: memory is the host's, a kernel takes 3
// microseconds of a clock of its own and does nothing. Copies on a stream are done as late as the
// real driver may do them: when somebody waits. TILEWISE_LIBCUDA names it.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t clockNow; // nanoseconds of the GPU
static int isRecording, recorded;

// What was queued and is not done: copies, and fills where `from` is null.
static struct Copy {
  void *to;
  const void *from;
  size_t bytes;
  int value;
} queue[64];
static int queued;

static int finishAll(void) {
  for (int i = 0; i < queued; ++i)
    if (queue[i].from)
      memcpy(queue[i].to, queue[i].from, queue[i].bytes);
    else
      memset(queue[i].to, queue[i].value, queue[i].bytes);
  return queued = 0;
}
static int queueCopy(void *to, const void *from, size_t bytes, int value) {
  if (queued == 64)
    finishAll();
  if (isRecording)
    return ++recorded, 0;
  queue[queued++] = (struct Copy){to, from, bytes, value};
  return 0;
}

int cuInit(unsigned flags) { return flags != 0; }
int cuDriverGetVersion(int *version) { return *version = 12040, 0; }
int cuGetErrorName(int code, const char **text) {
  return *text = code == 900 ? "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" : "CUDA_ERROR_FAKE", 0;
}
int cuGetErrorString(int code, const char **text) { return (void)code, *text = "as the fake driver has it", 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int length, int device) {
  return (void)device, strncpy(name, "fake", (size_t)length), 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  const char *capability = getenv("FAKE_CAPABILITY");
  const int number = capability ? atoi(capability) : 80;
  *value = attribute == 75 ? number / 10 : attribute == 76 ? number % 10 : attribute == 16 ? 4 : 64 << 10;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return (void)device, *context = &clockNow, 0; }
int cuCtxGetCurrent(void **context) { return *context = &clockNow, 0; }
int cuCtxGetDevice(int *device) { return *device = 0, 0; }
int cuCtxSetCurrent(void *context) { return (void)context, 0; }
int cuCtxSynchronize(void) { return finishAll(); }
int cuMemAlloc_v2(uint64_t *memory, size_t bytes) {
  return *memory = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256), 0;
}
int cuMemFree_v2(uint64_t memory) { return free((void *)(uintptr_t)memory), 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return memcpy((void *)(uintptr_t)to, from, bytes), 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return memcpy(to, (void *)(uintptr_t)from, bytes), 0; }
int cuMemsetD8_v2(uint64_t memory, unsigned char value, size_t bytes) {
  return memset((void *)(uintptr_t)memory, value, bytes), 0;
}
int cuStreamCreate(void **stream, unsigned flags) { return (void)flags, *stream = malloc(1), 0; }
int cuStreamDestroy_v2(void *stream) { return free(stream), 0; }
int cuStreamSynchronize(void *stream) { return (void)stream, isRecording ? 900 : finishAll(); }
int cuStreamQuery(void *stream) { return (void)stream, queued ? 600 : 0; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return (void)stream, (void)event, flags != 0; }
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), flags != 1;
}
int cuMemFreeHost(void *memory) { return free(memory), 0; }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  return (void)stream, queueCopy((void *)(uintptr_t)to, from, bytes, 0);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  return (void)stream, queueCopy(to, (void *)(uintptr_t)from, bytes, 0);
}
int cuMemsetD8Async(uint64_t memory, unsigned char value, size_t bytes, void *stream) {
  return (void)stream, queueCopy((void *)(uintptr_t)memory, NULL, bytes, value);
}

// One pool, which keeps one piece of memory that was freed.
static struct Pool {
  uint64_t used, reserved, threshold;
  size_t keptBytes;
  void *kept;
} pool;
int cuMemPoolCreate(void **made, const int *properties) {
  // Of fixed memory, on device 0.
  return *made = &pool, properties[0] != 1 || properties[2] != 1 || properties[3] != 0;
}
int cuMemPoolSetAttribute(struct Pool *of, int attribute, uint64_t *value) {
  return of->threshold = *value, attribute != 4;
}
int cuMemPoolGetAttribute(struct Pool *of, int attribute, uint64_t *value) {
  return *value = attribute == 5 ? of->reserved : of->used, attribute != 5 && attribute != 7;
}
int cuMemPoolTrimTo(struct Pool *of, size_t bytes) {
  free(of->kept);
  of->kept = NULL;
  of->reserved = of->used;
  return bytes != 0;
}
// The size of a piece stands before it.
int cuMemAllocFromPoolAsync(uint64_t *memory, size_t bytes, struct Pool *of, void *stream) {
  (void)stream;
  char *piece = of->kept;
  if (piece && of->keptBytes >= bytes) {
    of->kept = NULL;
  } else {
    piece = aligned_alloc(256, (bytes + 511) / 256 * 256);
    of->reserved += bytes;
  }
  *(size_t *)(void *)piece = bytes;
  of->used += bytes;
  return *memory = (uint64_t)(uintptr_t)(piece + 256), 0;
}
int cuMemFreeAsync(uint64_t memory, void *stream) {
  (void)stream;
  char *piece = (char *)(uintptr_t)memory - 256;
  finishAll();
  pool.keptBytes = *(size_t *)(void *)piece;
  pool.used -= pool.keptBytes;
  free(pool.kept);
  return pool.kept = piece, 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  return (void)count, (void)options, (void)values, *module = (void *)image, 0;
}
int cuModuleUnload(void *module) { return (void)module, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { return (void)name, *function = module, 0; }
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  return (void)attribute, (void)function, *value = 32, 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  return (void)function, (void)attribute, (void)value, 0;
}
int cuTensorMapEncodeTiled(void *map) { return memset(map, 0x5a, 128), 0; }
// What a launch gave: its grid, and three of its parameters from `fakeFirst` on.
unsigned fakeGrid[3], fakeFirst, fakeParameters[3];
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
  (void)function, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
  fakeGrid[0] = x, fakeGrid[1] = y, fakeGrid[2] = z;
  for (int i = 0; fakeFirst && i < 3; ++i)
    fakeParameters[i] = *(unsigned *)parameters[fakeFirst + (unsigned)i];
  if (isRecording)
    return ++recorded, 0;
  return clockNow += 3000, 0;
}
int cuLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, void *stream, void **parameters) {
  return cuLaunchKernel(function, x, y, z, bx, by, bz, shared, stream, parameters, NULL);
}
int cuEventCreate(void **event, unsigned flags) { return *event = calloc(1, sizeof(uint64_t)), flags != 0; }
int cuEventDestroy_v2(void *event) { return free(event), 0; }
int cuEventRecord(void *event, void *stream) { return (void)stream, *(uint64_t *)event = clockNow, 0; }
int cuEventSynchronize(void *event) { return (void)event, isRecording ? 900 : finishAll(); }
int cuEventQuery(void *event) { return (void)event, queued ? 600 : 0; }
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  return *milliseconds = (float)(*(uint64_t *)end - *(uint64_t *)start) / 1e6f, 0;
}
int cuStreamBeginCapture_v2(void *stream, int mode) {
  if (!stream || isRecording)
    return 900;
  return (void)mode, isRecording = 1, recorded = 0, 0;
}
int cuStreamEndCapture(void *stream, void **graph) {
  int *made = malloc(sizeof(int));
  (void)stream;
  *made = recorded;
  isRecording = 0;
  return *graph = made, 0;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
  int *made = malloc(sizeof(int));
  *made = *(int *)graph;
  return *executable = made, flags != 0;
}
// A graph's kernels follow each other at once: 2 microseconds each.
int cuGraphLaunch(void *executable, void *stream) {
  (void)stream;
  return clockNow += 2000 * (uint64_t)*(int *)executable, 0;
}
int cuGraphExecDestroy(void *executable) { return free(executable), 0; }
int cuGraphDestroy(void *graph) { return free(graph), 0; }
