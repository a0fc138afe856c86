// dlopen and dlsym of libcuda.
#include "runtime/CudaDriver.h"

#include "runtime/CudaFaults.h"
#include "support/Knobs.h"

#include <dlfcn.h>

namespace tilewise::cuda {

static Result<const Driver *> open() {
  std::string path = knobs::libcuda();
  if (path.empty())
    path = "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return launchFailure("no NVIDIA driver: " + std::string(dlerror()));
  // Never freed: the driver registers handlers that run when the process ends.
  auto *driver = new Driver;
  std::string missing;
  auto find = [&](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, name));
    if (!member)
      missing = name;
  };
#define TILEWISE_FIND(name) find(driver->name, #name)
  TILEWISE_FIND(cuInit);
  TILEWISE_FIND(cuDriverGetVersion);
  TILEWISE_FIND(cuGetErrorName);
  TILEWISE_FIND(cuGetErrorString);
  TILEWISE_FIND(cuDeviceGetCount);
  TILEWISE_FIND(cuDeviceGet);
  TILEWISE_FIND(cuDeviceGetName);
  TILEWISE_FIND(cuDeviceGetAttribute);
  TILEWISE_FIND(cuDevicePrimaryCtxRetain);
  TILEWISE_FIND(cuCtxGetCurrent);
  TILEWISE_FIND(cuCtxGetDevice);
  TILEWISE_FIND(cuCtxSetCurrent);
  TILEWISE_FIND(cuCtxSynchronize);
  TILEWISE_FIND(cuMemAlloc_v2);
  TILEWISE_FIND(cuMemFree_v2);
  TILEWISE_FIND(cuMemcpyHtoD_v2);
  TILEWISE_FIND(cuMemcpyDtoH_v2);
  TILEWISE_FIND(cuMemsetD8_v2);
  TILEWISE_FIND(cuStreamCreate);
  TILEWISE_FIND(cuStreamDestroy_v2);
  TILEWISE_FIND(cuStreamSynchronize);
  TILEWISE_FIND(cuModuleLoadDataEx);
  TILEWISE_FIND(cuModuleUnload);
  TILEWISE_FIND(cuModuleGetFunction);
  TILEWISE_FIND(cuFuncGetAttribute);
  TILEWISE_FIND(cuFuncSetAttribute);
  TILEWISE_FIND(cuLaunchKernel);
  TILEWISE_FIND(cuLaunchCooperativeKernel);
  TILEWISE_FIND(cuMemHostAlloc);
  TILEWISE_FIND(cuMemFreeHost);
  TILEWISE_FIND(cuMemcpyHtoDAsync_v2);
  TILEWISE_FIND(cuMemcpyDtoHAsync_v2);
  TILEWISE_FIND(cuMemsetD8Async);
  TILEWISE_FIND(cuMemPoolCreate);
  TILEWISE_FIND(cuMemPoolSetAttribute);
  TILEWISE_FIND(cuMemPoolGetAttribute);
  TILEWISE_FIND(cuMemPoolTrimTo);
  TILEWISE_FIND(cuMemAllocFromPoolAsync);
  TILEWISE_FIND(cuMemFreeAsync);
  TILEWISE_FIND(cuStreamQuery);
  TILEWISE_FIND(cuStreamWaitEvent);
  TILEWISE_FIND(cuEventQuery);
  TILEWISE_FIND(cuEventCreate);
  TILEWISE_FIND(cuEventDestroy_v2);
  TILEWISE_FIND(cuEventRecord);
  TILEWISE_FIND(cuEventSynchronize);
  TILEWISE_FIND(cuEventElapsedTime);
  TILEWISE_FIND(cuStreamBeginCapture_v2);
  TILEWISE_FIND(cuStreamEndCapture);
  TILEWISE_FIND(cuGraphInstantiateWithFlags);
  TILEWISE_FIND(cuGraphLaunch);
  TILEWISE_FIND(cuGraphExecDestroy);
  TILEWISE_FIND(cuGraphDestroy);
#undef TILEWISE_FIND
  driver->cuTensorMapEncodeTiled =
      reinterpret_cast<decltype(driver->cuTensorMapEncodeTiled)>(dlsym(library, "cuTensorMapEncodeTiled"));
  if (!missing.empty())
    return launchFailure("the NVIDIA driver in " + path + " lacks " + missing + ": install a newer one");
  if (Result<void> done = driver->check(driver->cuInit(0), "start the NVIDIA driver"); !done)
    return done.takeFailure();
  return driver;
}

Result<const Driver *> Driver::get() {
  static const Result<const Driver *> driver = open();
  return driver;
}

Failure Driver::failure(int code, const std::string &what) const {
  const char *name = nullptr, *words = nullptr;
  cuGetErrorName(code, &name);
  cuGetErrorString(code, &words);
  return launchFailure("cannot " + what + ": " + (name ? name : "CUDA error " + std::to_string(code)) +
                       (words ? std::string(", ") + words : "") + describeFault(code));
}

} // namespace tilewise::cuda
