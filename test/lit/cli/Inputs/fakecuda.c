// A CUDA driver that tells what is asked of it: as libcuda.so.1 for programs of `tilewise build`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int context = 1;

int cuCtxGetCurrent(void **current) {
  *current = getenv("FAKE_NO_CONTEXT") ? NULL : (void *)&context;
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = 0;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const int capability = atoi(getenv("FAKE_CAPABILITY"));
  (void)device;
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : -1;
  return 0;
}
int cuModuleLoadData(void **module, const void *image) {
  const int isCode = memcmp(image, "\177ELF", 4) == 0;
  const char *target = isCode ? NULL : strstr(image, ".target sm_");
  printf("load %s%.2s\n", isCode ? "machine code" : "ptx for ", target ? target + 11 : "");
  *module = (void *)image;
  return isCode && getenv("FAKE_OLD_DRIVER") ? 209 : 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  printf("function %s\n", name);
  *function = module;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  printf("attribute %d is %d\n", attribute, value);
  return 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  (void)function, (void)ty, (void)tz, (void)extra;
  printf("launch %u %u %u with %u threads, %u bytes, stream %p, first argument %llx\n", x, y, z, threads, shared,
         stream, *(unsigned long long *)arguments[0]);
  return 0;
}
