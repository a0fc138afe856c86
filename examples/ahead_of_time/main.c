/* Softmax of some rows by a kernel that was compiled ahead of time: this program links no
 * Tilewise. */
#include "row_softmax.h"

#include <math.h>
#include <stdio.h>

int main(void) {
  enum { kRows = 5, kColumns = 300, kStride = 304 };
  static float in[kRows * kStride], out[kRows * kStride];
  for (int i = 0; i < kRows * kStride; ++i)
    in[i] = (float)(i * 37 % 101) / 25;
  const uint32_t grid[3] = {kRows, 1, 1};
  if (row_softmax(grid, out, in, kStride, kStride, kColumns) != 0)
    return 1;
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i)
      sum += exp(in[row * kStride + i]);
    for (int i = 0; i < kColumns; ++i)
      if (fabs(out[row * kStride + i] - exp(in[row * kStride + i]) / sum) > 1e-6)
        return 2;
    if (out[row * kStride + kColumns] != 0)
      return 3;
  }
  /* Program by program, as a host would that spreads them over threads of its own. */
  static _Alignas(64) char scratch[row_softmax_scratch_bytes];
  static float again[kRows * kStride];
  for (uint64_t program = 0; program < kRows; ++program)
    if (row_softmax_range(grid, program, program + 1, scratch, again, in, kStride, kStride, kColumns) != 0)
      return 4;
  for (int i = 0; i < kRows * kStride; ++i)
    if (again[i] != out[i])
      return 5;
  /* An address that is no multiple of 16 takes the second signature. */
  if (row_softmax(grid, out + 1, in + 1, kStride, kStride, kColumns) != 0)
    return 6;
  printf("softmax by a kernel compiled ahead of time: ok\n");
  return 0;
}
