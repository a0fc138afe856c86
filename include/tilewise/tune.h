/* Tuning: a kernel with configs, of which the fastest is found per device and key, used, and kept.
 * */
#ifndef TILEWISE_TUNE_H
#define TILEWISE_TUNE_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_tuner tw_tuner;
typedef struct tw_config tw_config; /* values of constants, and options of the compiler */

/* "BLOCK: 64, num_warps: 4, num_stages: 3", good during the callback that gave the config. */
TW_API const char *tw_config_text(const tw_config *config);
/* The value of a constant that is a whole number, of num_warps or of num_stages; else `fallback`.
 * */
TW_API int64_t tw_config_number(const tw_config *config, const char *name, int64_t fallback);

/* With the configs, key, reset_to_zero and restore_value of the kernel's @triton.autotune, where it
 * has one. The kernel outlives the tuner. A tuner may be used by several threads; what is set is
 * set before the first launch. */
TW_API tw_status tw_tuner_create(tw_kernel *kernel, tw_tuner **tuner);
TW_API void tw_tuner_destroy(tw_tuner *tuner);

/* One more config: "BLOCK=64, num_warps=8". */
TW_API tw_status tw_tuner_add_config(tw_tuner *tuner, const char *config);
/* Names between commas: parameters whose values choose a config; pointers whose memory is zeroed,
 * or gets back what it held, before each call that is timed. */
TW_API tw_status tw_tuner_set_key(tw_tuner *tuner, const char *parameters);
TW_API tw_status tw_tuner_set_reset_to_zero(tw_tuner *tuner, const char *parameters);
TW_API tw_status tw_tuner_set_restore_value(tw_tuner *tuner, const char *parameters);
/* Whether a config is worth timing; null for all. */
typedef bool (*tw_prune_callback)(void *user, const tw_config *config);
TW_API void tw_tuner_set_prune(tw_tuner *tuner, tw_prune_callback prune, void *user);
/* An estimate of a config's time, by which all but the `top_k` best are left out. */
typedef double (*tw_perf_model)(void *user, const tw_config *config);
TW_API void tw_tuner_set_perf_model(tw_tuner *tuner, tw_perf_model model, size_t top_k, void *user);
/* Called before and after each call of the kernel with a config, timed or not. On a GPU the call
 * has been queued when the second is called. */
typedef void (*tw_config_hook)(void *user, const tw_config *config);
TW_API void tw_tuner_set_pre_hook(tw_tuner *tuner, tw_config_hook hook, void *user);
TW_API void tw_tuner_set_post_hook(tw_tuner *tuner, tw_config_hook hook, void *user);
/* What timing a config may take on average, 0.1 by default; hopeless ones take less. */
TW_API void tw_tuner_set_seconds(tw_tuner *tuner, double seconds);
/* Told while configs are timed: how many have been begun. */
typedef void (*tw_tune_progress)(void *user, size_t done, size_t count);
TW_API void tw_tuner_set_progress(tw_tuner *tuner, tw_tune_progress progress, void *user);

/* How many programs a launch with this config has; grid comes as {1, 1, 1}. */
typedef void (*tw_grid_callback)(void *user, const tw_config *config, int64_t grid[3]);
/* Launches with the best config for these arguments, which do not hold the constants that configs
 * give. It is timed now if it is not known: from TILEWISE_TUNING_FILE, from an earlier launch, or
 * from the disk cache. With TILEWISE_TUNE=never nothing is timed. */
TW_API tw_status tw_tuner_launch(tw_tuner *tuner, tw_device device, void *stream, tw_grid_callback grid, void *user,
                                 const tw_argument *arguments, size_t count, const tw_options *options);
/* The choice alone; its text. A config that is the only one is timed here, and only here. */
TW_API tw_status tw_tuner_choose(tw_tuner *tuner, tw_device device, void *stream, tw_grid_callback grid, void *user,
                                 const tw_argument *arguments, size_t count, const tw_options *options, char **config);

/* What became of each config in the latest choice. */
typedef struct tw_tuned_config {
  const char *config;
  double seconds;      /* of a call; infinite where it cannot be run, or was not timed */
  const char *problem; /* why it cannot be run, or "" */
  uint32_t samples;    /* that were taken */
  uint32_t known;      /* 1: the time is from an earlier process */
  /* the earlier config with the same code, which was timed in its place, or -1 */
  int64_t twin_of;
} tw_tuned_config;
/* Good until the tuner's next choice. */
TW_API size_t tw_tuner_result_count(const tw_tuner *tuner);
TW_API tw_tuned_config tw_tuner_result(const tw_tuner *tuner, size_t index);

/* Adds all choices so far to a file that TILEWISE_TUNING_FILE can name in other processes. */
TW_API tw_status tw_tuner_save(const tw_tuner *tuner, const char *path);

/* For hosts with a tuner of their own: the config that the file of TILEWISE_TUNING_FILE has for a
 * kernel of this name on a device, by a key as the tuner writes it, "n=512, x_ptr: fp32"; "" where
 * it has none. */
TW_API tw_status tw_shipped_config(const char *kernel, tw_device device, const char *key, char **config);

/* The kernel library's own configs: with which blocks, warps and stages a kernel of it is launched
 * for elements of a type and such sizes. What follows a slash in the kernel's name tells launches
 * of it apart that differ in more than that. Known from TILEWISE_TUNING_FILE, from what is shipped
 * for this class of devices, or from the disk cache; else it is timed now, by calls of `run`, and
 * kept. With TILEWISE_TUNE=never, or without `run`, nothing is timed. The config is good for ever.
 *
 * `run` gives the seconds that so many calls with a config took, or a negative number where it
 * cannot be run. With no calls it only compiles; such calls come from several threads at once. */
typedef double (*tw_library_run)(void *user, const tw_config *config, uint64_t calls);
TW_API tw_status tw_library_config(const char *kernel, tw_device device, tw_dtype dtype, const int64_t *sizes,
                                   size_t count, tw_library_run run, void *user, const tw_config **config);
/* Times them whatever is known, each for about so many seconds, and adds the fastest to a file, as
 * the result of this class of devices. Where the file has another result, the default is written:
 * what two runs do not agree about is noise. */
TW_API tw_status tw_library_tune(const char *kernel, tw_device device, tw_dtype dtype, const int64_t *sizes,
                                 size_t count, tw_library_run run, void *user, double seconds_each, const char *path,
                                 const tw_config **config);

/* The race behind it, for hosts with launches of their own: runs candidate `index` `calls` times
 * and gives the seconds that took; a negative number says that it cannot be run. `seconds` has a
 * place per candidate. The winner is the first of the fastest; `count` where none can be run. */
typedef double (*tw_race_run)(void *user, size_t index, uint64_t calls);
TW_API tw_status tw_race(size_t count, tw_race_run run, void *user, double seconds_each, double *seconds,
                         size_t *winner);

#ifdef __cplusplus
}
#endif

#endif
