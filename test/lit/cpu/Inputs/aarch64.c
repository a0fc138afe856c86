// Vector add, softmax and a matrix product, compiled ahead of time for AArch64, against plain
// loops.
#include "matmul.h"
#include "row_softmax.h"
#include "vector_add.h"

#include <math.h>
#include <stdio.h>

enum { Length = 3001, Rows = 5, Columns = 777, M = 70, N = 45, K = 99 };

static float x[Length], y[Length], z[Length], a[M * K], b[K * N], c[M * N], row[Rows * Columns], out[Rows * Columns];

// Between -1 and 1, the same on every machine.
static void fill(float *values, int count, unsigned seed) {
  for (int i = 0; i < count; ++i)
    values[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 8388608.0f - 1.0f;
}

static int wrong;
static void check(const char *what, int at, double found, double expected, double within) {
  if (!(fabs(found - expected) <= within) && wrong++ < 5)
    printf("%s[%d]: %.9g, expected %.9g\n", what, at, found, expected);
}

int main(void) {
  fill(x, Length, 1);
  fill(y, Length, 2);
  fill(row, Rows * Columns, 3);
  fill(a, M * K, 4);
  fill(b, K * N, 5);
  const uint32_t blocks[3] = {(Length + 1023) / 1024, 1, 1}, rows[3] = {Rows, 1, 1},
                 tiles[3] = {(M + 31) / 32, (N + 31) / 32, 1};
  if (vector_add(blocks, x, y, z, Length) || row_softmax(rows, out, row, Columns, Columns, Columns) ||
      matmul(tiles, a, b, c, M, N, K, K, N, N))
    return printf("a launch failed\n"), 1;
  for (int i = 0; i < Length; ++i)
    check("sum", i, z[i], x[i] + y[i], 0);
  for (int r = 0; r < Rows; ++r) {
    double sum = 0;
    for (int i = 0; i < Columns; ++i)
      sum += exp(row[r * Columns + i]);
    for (int i = 0; i < Columns; ++i)
      check("softmax", r * Columns + i, out[r * Columns + i], exp(row[r * Columns + i]) / sum, 1e-8);
  }
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += (double)a[i * K + k] * b[k * N + j];
      check("product", i * N + j, c[i * N + j], sum, 1e-5);
    }
  printf(wrong ? "%d are wrong\n" : "all agree\n", wrong);
  return wrong != 0;
}
