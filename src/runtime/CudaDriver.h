// The CUDA driver, opened at run time: nothing of CUDA is needed to build or to start, and a
// machine without it has just no GPU.
//
// Types are the driver's own at binary level: CUresult, CUdevice: int; CUdeviceptr: uint64_t;
// contexts, modules, functions, streams: void *.
#pragma once

#include "support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilewise::cuda {

struct Driver {
  // Members bear the names under which libcuda exports them, version suffixes included.
  int (*cuInit)(unsigned flags);
  int (*cuDriverGetVersion)(int *version);
  int (*cuGetErrorName)(int code, const char **text);
  int (*cuGetErrorString)(int code, const char **text);
  int (*cuDeviceGetCount)(int *count);
  int (*cuDeviceGet)(int *device, int ordinal);
  int (*cuDeviceGetName)(char *name, int length, int device);
  int (*cuDeviceGetAttribute)(int *value, int attribute, int device);
  int (*cuDevicePrimaryCtxRetain)(void **context, int device);
  int (*cuCtxGetCurrent)(void **context);
  int (*cuCtxGetDevice)(int *device);
  int (*cuCtxSetCurrent)(void *context);
  int (*cuCtxSynchronize)();
  int (*cuMemAlloc_v2)(uint64_t *memory, size_t bytes);
  int (*cuMemFree_v2)(uint64_t memory);
  int (*cuMemcpyHtoD_v2)(uint64_t to, const void *from, size_t bytes);
  int (*cuMemcpyDtoH_v2)(void *to, uint64_t from, size_t bytes);
  int (*cuMemsetD8_v2)(uint64_t memory, unsigned char value, size_t bytes);
  int (*cuStreamCreate)(void **stream, unsigned flags);
  int (*cuStreamDestroy_v2)(void *stream);
  int (*cuStreamSynchronize)(void *stream);
  int (*cuModuleLoadDataEx)(void **module, const void *image, unsigned count, int *options, void **values);
  int (*cuModuleUnload)(void *module);
  int (*cuModuleGetFunction)(void **function, void *module, const char *name);
  int (*cuFuncGetAttribute)(int *value, int attribute, void *function);
  int (*cuFuncSetAttribute)(void *function, int attribute, int value);
  int (*cuLaunchKernel)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                        unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream, void **parameters,
                        void **extra);
  int (*cuLaunchCooperativeKernel)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream,
                                   void **parameters);
  int (*cuMemHostAlloc)(void **memory, size_t bytes, unsigned flags);
  int (*cuMemFreeHost)(void *memory);
  int (*cuMemcpyHtoDAsync_v2)(uint64_t to, const void *from, size_t bytes, void *stream);
  int (*cuMemcpyDtoHAsync_v2)(void *to, uint64_t from, size_t bytes, void *stream);
  int (*cuMemsetD8Async)(uint64_t memory, unsigned char value, size_t bytes, void *stream);
  int (*cuMemPoolCreate)(void **pool, const void *properties);
  int (*cuMemPoolSetAttribute)(void *pool, int attribute, void *value);
  int (*cuMemPoolGetAttribute)(void *pool, int attribute, void *value);
  int (*cuMemPoolTrimTo)(void *pool, size_t bytes);
  int (*cuMemAllocFromPoolAsync)(uint64_t *memory, size_t bytes, void *pool, void *stream);
  int (*cuMemFreeAsync)(uint64_t memory, void *stream);
  int (*cuStreamQuery)(void *stream);
  int (*cuStreamWaitEvent)(void *stream, void *event, unsigned flags);
  int (*cuEventQuery)(void *event);
  int (*cuEventCreate)(void **event, unsigned flags);
  int (*cuEventDestroy_v2)(void *event);
  int (*cuEventRecord)(void *event, void *stream);
  int (*cuEventSynchronize)(void *event);
  int (*cuEventElapsedTime)(float *milliseconds, void *start, void *end);
  int (*cuStreamBeginCapture_v2)(void *stream, int mode);
  int (*cuStreamEndCapture)(void *stream, void **graph);
  int (*cuGraphInstantiateWithFlags)(void **executable, void *graph, unsigned long long flags);
  int (*cuGraphLaunch)(void *executable, void *stream);
  int (*cuGraphExecDestroy)(void *executable);
  int (*cuGraphDestroy)(void *graph);
  /// Null in drivers before CUDA 12.
  int (*cuTensorMapEncodeTiled)(void *map, int type, uint32_t rank, uint64_t memory, const uint64_t *extents,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                int swizzle, int promotion, int fill);

  /// The driver, opened and initialised at the first call; the failure says what is missing.
  static Result<const Driver *> get();

  /// A failed call's failure: what was tried, and the driver's name and words for the code.
  Failure failure(int code, const std::string &what) const;
  Result<void> check(int code, const char *what) const {
    if (code != 0)
      return failure(code, what);
    return {};
  }
};

} // namespace tilewise::cuda
