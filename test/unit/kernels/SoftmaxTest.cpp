// kernels/softmax.py: each row against C++ in double within the bound of its exp, sum and division;
// rows with strides.
#include "kernels/KernelTest.h"

using namespace tilewise;
using namespace tilewise::test;
using namespace tilewise::literals;

namespace {

class Softmax : public KernelTest {
protected:
  template <typename T>
  std::vector<T> run(Device device, const std::vector<T> &x, int rows, int columns, int inStride, int outStride) {
    auto in = Tensor::from(x, {rows, inStride}, device);
    auto out = Tensor::from(std::vector<T>(size_t(rows) * outStride, T(-7.0)), {rows, outStride}, device);
    load("softmax.py")[rows](out, in, out.stride(0), in.stride(0), columns, "BLOCK"_a = nextPowerOf2(columns));
    return out.template toVector<T>();
  }
};

TEST_P(Softmax, Rows) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    struct Size {
      int rows, columns, inStride, outStride;
    };
    for (Size size : {Size{1, 1, 1, 1},
                      {5, 2, 2, 2},
                      {3, 16, 16, 16},
                      {7, 100, 100, 100},
                      {4, 127, 130, 128},
                      {61, 999, 999, 1001},
                      {9, 1024, 1024, 1024},
                      {2, 4099, 4099, 4099}}) {
      const auto x = noise<T>(size_t(size.rows) * size.inStride, -8, 8, 3);
      std::vector<double> expected(size_t(size.rows) * size.outStride, -7.0), bound(expected.size(), 1e-300);
      for (int r = 0; r < size.rows; ++r) {
        double top = -INFINITY, sum = 0;
        // The kernel converts to float32 first.
        auto at = [&](int c) { return double(float(x[size_t(r) * size.inStride + c])); };
        for (int c = 0; c < size.columns; ++c)
          top = std::fmax(top, at(c));
        for (int c = 0; c < size.columns; ++c)
          sum += std::exp(at(c) - top);
        for (int c = 0; c < size.columns; ++c) {
          const size_t i = size_t(r) * size.outStride + c;
          expected[i] = std::exp(at(c) - top) / sum;
          // Half an epsilon of float32 for each of: the difference's size (it rounds exp's
          // argument), 4 for exp, one per addend, 2 for the division; then one rounding to T.
          const double relative = 0x1p-24 * (top - at(c) + 4 + size.columns + 2);
          bound[i] = expected[i] * (relative + halfEpsilon<T>() * (1 + relative)) + halfSmallest<T>();
        }
      }
      const auto got = run(device(), x, size.rows, size.columns, size.inStride, size.outStride);
      const std::string text = std::to_string(size.rows) + "x" + std::to_string(size.columns);
      expectBound(text, "c++", got, expected, bound);
      if (!isReference()) {
        const auto other = run(Device("reference"), x, size.rows, size.columns, size.inStride, size.outStride);
        for (double &each : bound)
          each *= 2;
        expectBound(text, "reference", got, std::vector<double>(other.begin(), other.end()), bound);
      }
    }
  });
}

// A row of equal numbers needs no rounding when its length is a power of two: exp(0) is 1, and 1 /
// n is exact.
TEST_P(Softmax, EqualValuesAreExact) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    const std::vector<T> x(3 * 256, T(2.5)), expected(3 * 256, T(1.0 / 256));
    expectBits("3x256", "c++", run(device(), x, 3, 256, 256, 256), expected);
  });
}

TILEWISE_ON_EVERY_ENGINE(Softmax, DType::Float32, DType::Float16, DType::BFloat16, DType::Float64);

} // namespace
