// kernels/matmul.py: small whole numbers exactly, noise within the bound of a sum of k products;
// transposed and padded operands.
#include "kernels/KernelTest.h"

using namespace tilewise;
using namespace tilewise::test;
using namespace tilewise::literals;

namespace {

struct Size {
  int m, n, k, blockM, blockN, blockK;
};

class Matmul : public KernelTest {
protected:
  /// C, with A stored by rows or by columns.
  template <typename T>
  std::vector<T> run(Device device, const std::vector<T> &a, const std::vector<T> &b, const Size &size,
                     bool isTransposed) {
    auto da = Tensor::from(a, {}, device), db = Tensor::from(b, {size.k, size.n}, device);
    Tensor dc(dtype(), {size.m, size.n}, device);
    const int strideM = isTransposed ? 1 : size.k, strideK = isTransposed ? size.m : 1;
    load("matmul.py")[{cdiv(size.m, size.blockM), cdiv(size.n, size.blockN)}](
        da, db, dc, size.m, size.n, size.k, strideM, strideK, db.stride(0), db.stride(1), dc.stride(0), dc.stride(1),
        "BLOCK_M"_a = size.blockM, "BLOCK_N"_a = size.blockN, "BLOCK_K"_a = size.blockK);
    return dc.template toVector<T>();
  }

  template <typename T, typename Visit> void eachSize(double low, double high, bool isWhole, Visit visit) {
    for (const Size &size : {Size{16, 16, 16, 16, 16, 16},
                             {1, 1, 1, 16, 16, 16},
                             {33, 65, 17, 32, 32, 16},
                             {64, 32, 128, 32, 32, 64},
                             {77, 91, 129, 32, 64, 32},
                             {128, 128, 64, 64, 64, 32}})
      for (bool isTransposed : {false, true}) {
        auto a = noise<T>(size_t(size.m) * size.k, low, high, 7), b = noise<T>(size_t(size.k) * size.n, low, high, 8);
        if (isWhole)
          for (auto *values : {&a, &b})
            for (T &value : *values)
              value = T(std::floor(double(value)));
        std::vector<double> product(size_t(size.m) * size.n), magnitude(product.size());
        for (int row = 0; row < size.m; ++row)
          for (int column = 0; column < size.n; ++column)
            for (int i = 0; i < size.k; ++i) {
              const double term =
                  double(a[isTransposed ? i * size.m + row : row * size.k + i]) * double(b[i * size.n + column]);
              product[row * size.n + column] += term;
              magnitude[row * size.n + column] += std::fabs(term);
            }
        std::string text = std::to_string(size.m) + "x" + std::to_string(size.n) + "x" + std::to_string(size.k) +
                           (isTransposed ? ",At" : "");
        visit(size, isTransposed, a, b, product, magnitude, text);
      }
  }
};

TEST_P(Matmul, WholeNumbersAreExact) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    // Sums stay below 2^11 for fp16 and 2^24 for fp32; for bf16 the final rounding of an exact sum
    // is all that happens.
    eachSize<T>(
        -3, 4, true,
        [&](const Size &size, bool isTransposed, auto &a, auto &b, auto &product, auto &, const std::string &text) {
          std::vector<T> expected;
          for (double value : product)
            expected.push_back(T(value));
          const auto got = run(device(), a, b, size, isTransposed);
          expectBits(text, "c++", got, expected);
        });
  });
}

TEST_P(Matmul, NoiseWithinTheBound) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    eachSize<T>(-1, 1, false,
                [&](const Size &size, bool isTransposed, auto &a, auto &b, auto &product, auto &magnitude,
                    const std::string &text) {
                  std::vector<double> bound;
                  for (size_t i = 0; i < product.size(); ++i) {
                    const double ofSum = size.k * 0x1p-24 * magnitude[i];
                    bound.push_back(ofSum + halfEpsilon<T>() * (std::fabs(product[i]) + ofSum) + halfSmallest<T>());
                  }
                  const auto got = run(device(), a, b, size, isTransposed);
                  expectBound(text, "c++", got, product, bound);
                  if (!isReference()) {
                    const auto other = run(Device("reference"), a, b, size, isTransposed);
                    for (double &each : bound)
                      each *= 2;
                    expectBound(text, "reference", got, std::vector<double>(other.begin(), other.end()), bound);
                  }
                });
  });
}

TILEWISE_ON_EVERY_ENGINE(Matmul, DType::Float32, DType::Float16, DType::BFloat16);

} // namespace
