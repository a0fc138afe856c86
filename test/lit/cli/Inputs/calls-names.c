/* Calls a kernel whose parameters have other names in C; for build.test. */
#include "named.h"

int main(void) {
  float in[16], out[16];
  const uint32_t grid[3] = {1, 1, 1};
  for (int i = 0; i < 16; ++i)
    in[i] = (float)i;
  if (named(grid, in, 5, 2, out, 300, 100) != 0)
    return 1;
  for (int i = 0; i < 16; ++i)
    if (out[i] != 2 * in[i] + 205)
      return 2;
  return 0;
}
