/* What a process compiles, tunes, launches and copies, as a timeline and as a table. The knob
 * TILEWISE_PROFILE and `tilewise profile` do the same from outside. */
#ifndef TILEWISE_PROFILE_H
#define TILEWISE_PROFILE_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins an empty record, for all threads; and ends it. While it goes on a launch on a GPU is
 * waited for, since its time is wanted. */
TW_API void tw_profile_start(void);
TW_API void tw_profile_stop(void);

/* The record as a Chrome trace (chrome://tracing, ui.perfetto.dev), and as a table: calls, times,
 * bytes, GB/s, and the share of the device's bandwidth where tw_device_ceilings has measured it.
 * Bytes are those of the tensors that a launch is given, each counted once. Both are the caller's,
 * for tw_free. */
TW_API tw_status tw_profile_trace(char **json);
TW_API tw_status tw_profile_table(char **text);
/* Traces of several processes, as texts of tw_profile_trace, as one. */
TW_API tw_status tw_profile_merge(const char *const *traces, size_t count, char **json, char **table);

/* What a device can do: memory read and written, and fp32 multiplied in a matrix product. It is
 * measured once per machine, in some seconds, and kept in the disk cache; without `measure` it is
 * an error where that has not been. tw_device_measure measures anew. */
typedef struct tw_ceilings {
  double gigabytes_per_second, gigaflops;
} tw_ceilings;
TW_API tw_status tw_device_ceilings(tw_device device, bool measure, tw_ceilings *ceilings);
TW_API tw_status tw_device_measure(tw_device device, tw_ceilings *ceilings);

#ifdef __cplusplus
}
#endif

#endif
