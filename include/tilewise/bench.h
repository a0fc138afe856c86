/* Benchmarking: how long a call takes, and reports of many such measurements. */
#ifndef TILEWISE_BENCH_H
#define TILEWISE_BENCH_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_bench_options {
  uint32_t struct_size;  /* sizeof(tw_bench_options) */
  uint32_t flush_caches; /* 1: each call finds its operands in memory, not in caches */
  double warmup_ms;      /* how long to run before measuring: 25 */
  double measured_ms;    /* and while measuring: 100 */
  /* 1: on a GPU, the calls of a sample are recorded once and launched as a CUDA graph, so that what
   * the host does for each does not count; `stream` is not the default one then */
  uint32_t use_graph;
} tw_bench_options;

/* Calls `call` again and again and gives the milliseconds of each call, which the caller frees with
 * tw_free. A call that launches on a GPU does so on `stream`; there, a sample is a queue of calls
 * between two events of the GPU, or a single one with caches flushed.
 * `call` returns false to end it, with TW_ERROR_LAUNCH. `options` may be null. */
TW_API tw_status tw_bench(tw_device device, void *stream, bool (*call)(void *user), void *user,
                          const tw_bench_options *options, double **milliseconds, size_t *count);
/* The q-th quantile, 0 to 1, linear between neighbours: 0.5 is the median. */
TW_API double tw_quantile(const double *values, size_t count, double q);

/* Measurements as a table and a plot. `x` and `y` are what the axes are called, with their units.
 * */
typedef struct tw_report tw_report;
TW_API tw_status tw_report_create(const char *title, const char *x, const char *y, bool log_x, bool log_y,
                                  tw_report **report);
TW_API void tw_report_destroy(tw_report *report);
/* One point of a line, with bounds that are shown as a band; NaN for none. */
TW_API void tw_report_add(tw_report *report, const char *line, double x, double y, double low, double high);
/* By the path's end: .csv, .json, or .html, one page with the plot that needs nothing beside it. */
TW_API tw_status tw_report_write(const tw_report *report, const char *path);

#ifdef __cplusplus
}
#endif

#endif
