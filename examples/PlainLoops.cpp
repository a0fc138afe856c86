// Plain C++ loops, one pass each, that the demo times kernels against. Compiled at -O3.
#include "Demo.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace demo::plain {

/// Calls body(begin, end) for equal parts of [0, count), one per thread.
template <typename Body> static void parallel(int count, int threads, Body body) {
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([=] { body(int64_t(count) * t / threads, int64_t(count) * (t + 1) / threads); });
  body(0, int64_t(count) / threads);
  for (std::thread &other : others)
    other.join();
}

void rowMax(const float *x, float *top, int rows, int columns, int threads) {
  parallel(rows, threads, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      float most = x[r * columns];
      for (int c = 1; c < columns; ++c)
        most = std::max(most, x[r * columns + c]);
      top[r] = most;
    }
  });
}

void expOfDifference(const float *x, const float *top, float *y, int rows, int columns, int threads) {
  parallel(rows, threads, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int c = 0; c < columns; ++c)
        y[r * columns + c] = std::exp(x[r * columns + c] - top[r]);
  });
}

void rowSum(const float *y, float *sum, int rows, int columns, int threads) {
  parallel(rows, threads, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      float total = 0;
      for (int c = 0; c < columns; ++c)
        total += y[r * columns + c];
      sum[r] = total;
    }
  });
}

void divideRows(float *y, const float *sum, int rows, int columns, int threads) {
  parallel(rows, threads, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int c = 0; c < columns; ++c)
        y[r * columns + c] /= sum[r];
  });
}

void scale(const float *x, float factor, float *y, int n, int threads) {
  parallel(n, threads, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = factor * x[i];
  });
}

void add(const float *x, float *y, int n, int threads) {
  parallel(n, threads, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] += x[i];
  });
}

} // namespace demo::plain
