/* A C program against the installed library: one kernel, one launch. */
#include <stdio.h>
#include <tilewise/tilewise.h>

int main(void) {
  float x[3] = {1, 2, 3}, z[3] = {0};
  tw_source *source = NULL;
  tw_kernel *add = NULL;
  tw_argument arguments[] = {tw_pointer(x, TW_FLOAT32), tw_pointer(x, TW_FLOAT32), tw_pointer(z, TW_FLOAT32), tw_int(3),
                             tw_int(16)};
  if (tw_source_open(KERNELS "/vector_add.py", &source) || tw_kernel_create(source, "vector_add", &add) ||
      tw_kernel_launch(add, tw_cpu(), NULL, (int64_t[]){1}, 1, arguments, 5, NULL))
    return fprintf(stderr, "%s\n", tw_last_error()), 1;
  return z[0] == 2 && z[1] == 4 && z[2] == 6 ? 0 : 1;
}
