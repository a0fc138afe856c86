// Products of matrices that end where memory ends: blocks that reach over the edge read nothing
// there, and infinities stay in their rows and columns.
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

/// Numbers whose last one is the last of a page, behind which nothing may be touched.
class Guarded {
public:
  explicit Guarded(size_t count) : count_(count) {
    const size_t page = size_t(sysconf(_SC_PAGESIZE));
    bytes_ = (count * sizeof(float) + page - 1) / page * page + page;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *end = static_cast<char *>(memory_) + bytes_ - page;
    mprotect(end, page, PROT_NONE);
    data_ = reinterpret_cast<float *>(end) - count;
  }
  ~Guarded() { munmap(memory_, bytes_); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  float &operator[](size_t i) { return data_[i]; }
  float *data() { return data_; }
  void fill(unsigned seed) {
    for (size_t i = 0; i < count_; ++i)
      data_[i] = float(int((seed += 7919) % 17) - 8);
  }

private:
  size_t count_, bytes_;
  void *memory_;
  float *data_;
};

struct Size {
  int64_t m, n, k, blockM, blockN, blockK;
};

/// How the right operand lies: rows of 64 columns may be multiplied where they are, unless they
/// start inside of a line; columns are transposed from there.
enum Right { Rows, ShiftedRows, Columns };

TEST(CpuDotEdges, NothingBeyondTheMatricesIsTouched) {
  auto kernel = Kernel::load(test::rootPath("kernels/matmul.py"));
  for (const Size &s : {Size{1, 1, 1, 64, 64, 32},
                        {5, 7, 3, 64, 64, 32},
                        {64, 64, 64, 64, 64, 32},
                        {70, 91, 45, 64, 64, 32},
                        {129, 65, 100, 128, 64, 64},
                        {62, 130, 33, 32, 128, 16},
                        {40, 64, 80, 32, 64, 32}})
    for (auto [hasInfinities, right] : {std::pair{false, Rows}, {true, Rows}, {false, ShiftedRows}, {true, Columns}}) {
      SCOPED_TRACE(std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + ", right operand " +
                   std::to_string(right));
      Guarded a(size_t(s.m * s.k)), b(size_t(s.k * s.n + (right == ShiftedRows ? 1 : 0))), c(size_t(s.m * s.n));
      const int64_t down = right == Columns ? 1 : s.n, across = right == Columns ? s.k : 1;
      a.fill(1);
      b.fill(2);
      if (hasInfinities) {
        a[size_t((s.m - 1) * s.k)] = std::numeric_limits<float>::infinity();
        b[size_t((s.n - 1) * across)] = -std::numeric_limits<float>::infinity();
      }
      Tensor ta = Tensor::view(a.data(), {s.m, s.k}), tb = Tensor::view(b.data(), {s.k, s.n}),
             tc = Tensor::view(c.data(), {s.m, s.n});
      kernel[{cdiv(s.m, s.blockM), cdiv(s.n, s.blockN)}](ta, tb, tc, s.m, s.n, s.k, s.k, 1, down, across, s.n, 1,
                                                         "BLOCK_M"_a = s.blockM, "BLOCK_N"_a = s.blockN,
                                                         "BLOCK_K"_a = s.blockK);
      for (int64_t row = 0; row < s.m; ++row)
        for (int64_t column = 0; column < s.n; ++column) {
          float sum = 0;
          for (int64_t i = 0; i < s.k; ++i)
            sum += a[size_t(row * s.k + i)] * b[size_t(i * down + column * across)];
          const float got = c[size_t(row * s.n + column)];
          ASSERT_TRUE(got == sum || (std::isnan(got) && std::isnan(sum)))
              << row << ", " << column << ": " << got << ", expected " << sum;
        }
    }
}

} // namespace
