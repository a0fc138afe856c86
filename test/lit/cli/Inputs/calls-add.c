// Launches the `add` of build-gpu.test: twice with multiples of 16, once with other numbers.
#include "add.h"

#include <stdio.h>

int main(void) {
  const uint32_t grid[3] = {5, 1, 1};
  const int a = add((void *)7, grid, 4096, 32, 48, 32), b = add(0, grid, 4096, 32, 48, 32),
            c = add(0, grid, 4100, 32, 48, 5);
  printf("codes %d %d %d\n", a, b, c);
}
