/* A C program against the installed library: a launch, the fastest of two configs, and a kernel out
 * of an artifact. */
#include <stdio.h>
#include <string.h>
#include <tilewise/runtime.h>
#include <tilewise/tilewise.h>
#include <tilewise/tune.h>

static void one_program(void *user, const tw_config *config, int64_t grid[3]) {
  *(int64_t *)user += tw_config_number(config, "BLOCK", 0) >= 16;
  grid[0] = 1;
}

static int is_sum(float z[3]) {
  int good = z[0] == 2 && z[1] == 4 && z[2] == 6;
  memset(z, 0, 3 * sizeof *z);
  return good;
}

int main(void) {
  float x[3] = {1, 2, 3}, z[3] = {0};
  tw_source *source = NULL;
  tw_kernel *add = NULL, *loaded = NULL;
  tw_tuner *tuner = NULL;
  void *bytes = NULL;
  size_t length = 0;
  int64_t asked = 0;
  const int64_t grid[] = {1};
  const tw_argument arguments[] = {tw_pointer(x, TW_FLOAT32), tw_pointer(x, TW_FLOAT32), tw_pointer(z, TW_FLOAT32),
                                   tw_int(3), tw_int(16)};
  if (tw_source_open(KERNELS "/vector_add.py", &source) || tw_kernel_create(source, "vector_add", &add) ||
      tw_kernel_launch(add, tw_cpu(), NULL, grid, 1, arguments, 5, NULL))
    return fprintf(stderr, "%s\n", tw_last_error()), 1;
  if (!is_sum(z))
    return fprintf(stderr, "the launch\n"), 1;

  if (tw_tuner_create(add, &tuner) || tw_tuner_add_config(tuner, "BLOCK=16") ||
      tw_tuner_add_config(tuner, "BLOCK=64") || tw_tuner_set_key(tuner, "n"))
    return fprintf(stderr, "%s\n", tw_last_error()), 1;
  tw_tuner_set_seconds(tuner, 0.001);
  if (tw_tuner_launch(tuner, tw_cpu(), NULL, one_program, &asked, arguments, 4, NULL))
    return fprintf(stderr, "%s\n", tw_last_error()), 1;
  if (!is_sum(z) || asked == 0 || tw_tuner_result_count(tuner) != 2 || *tw_tuner_result(tuner, 1).problem)
    return fprintf(stderr, "the tuner\n"), 1;
  tw_tuner_destroy(tuner);

  if (tw_kernel_artifact(add, "*fp32, *fp32, *fp32, i32, 16", "cpu", NULL, &bytes, &length) ||
      tw_kernel_from_artifact(bytes, length, &loaded) ||
      tw_kernel_launch(loaded, tw_cpu(), NULL, grid, 1, arguments, 5, NULL))
    return fprintf(stderr, "%s\n", tw_last_error()), 1;
  if (!is_sum(z))
    return fprintf(stderr, "the artifact\n"), 1;
  ((char *)bytes)[length / 2] ^= 1;
  if (tw_kernel_from_artifact(bytes, length, &loaded) == TW_OK)
    return fprintf(stderr, "the damaged artifact\n"), 1;
  tw_free(bytes);
  return 0;
}
