/* What kernels do to memory and how much they compute, counted access by access, on the reference
 * engine: launches on other engines are not seen. Use small sizes, the ratios are those of large
 * ones. */
#ifndef TILEWISE_ANALYZE_H
#define TILEWISE_ANALYZE_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_analysis_totals {
  uint64_t launches, programs;
  uint64_t operations;     /* on floats */
  uint64_t dot_operations; /* those of them that are in dots */
} tw_analysis_totals;

/* Of one tensor argument, in bytes: what the kernels asked for, how much of it was distinct, and
 * what memory moves for it in sectors of 32. The name is good during the call. */
typedef struct tw_analysis_part {
  const char *name;
  uint64_t loaded, stored;
  uint64_t distinct_loaded, distinct_stored;
  uint64_t loaded_sectors, stored_sectors;
} tw_analysis_part;

/* Begins to count, anew, for all threads of the process; and ends it. `take` is called for each
 * argument, in the order in which they were first touched. */
TW_API void tw_analysis_start(void);
TW_API tw_status tw_analysis_stop(tw_analysis_totals *totals, void (*take)(void *user, const tw_analysis_part *part),
                                  void *user);

#ifdef __cplusplus
}
#endif

#endif
