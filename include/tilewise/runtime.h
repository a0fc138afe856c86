/* For those who ship kernels: kernels that were compiled before, and which compiles happen and why.
 * */
#ifndef TILEWISE_RUNTIME_H
#define TILEWISE_RUNTIME_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel out of the bytes of tw_kernel_artifact, made by this process or another. It is launched
 * like any other, for the signature that it was compiled for; constants may be left out. Options
 * but `cooperative` are those of its compile. Releases of one minor version read each other's
 * artifacts. */
TW_API tw_status tw_kernel_from_artifact(const void *bytes, size_t length, tw_kernel **kernel);

/* The same for every parameter of a kernel, see tw_kernel_specialize: with TW_WIDE_INTEGERS alone,
 * no value of an argument ever needs another compile. TILEWISE_SPECIALIZE=0 says so for all
 * kernels. */
TW_API tw_status tw_kernel_specialize_all(tw_kernel *kernel, unsigned what);

/* One kernel that a launch needed and the process did not have. */
typedef struct tw_compile_event {
  uint32_t struct_size;  /* sizeof(tw_compile_event) */
  uint32_t recalled;     /* 1: it was found in the disk cache */
  const char *kernel;    /* its name */
  const char *signature; /* "*fp32:16, i32, 1024" */
  const char *target;    /* "cpu", "cuda:90" */
  /* "first launch", or what differs from the nearest one: "argument 'n' is i32, was i32:16" */
  const char *reason;
  double milliseconds; /* until the code could be launched */
} tw_compile_event;
typedef void (*tw_compile_callback)(const tw_compile_event *event, void *user);
/* Called after each, on the thread that launched; null for nobody. The strings are good during the
 * call. */
TW_API void tw_set_compile_callback(tw_compile_callback callback, void *user);
/* How many this process compiled, and how many it found in the disk cache. */
TW_API void tw_compile_counts(uint64_t *compiled, uint64_t *recalled);

#ifdef __cplusplus
}
#endif

#endif
