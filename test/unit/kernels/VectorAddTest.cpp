// kernels/vector_add.py: every element bit for bit, nothing written beyond the last.
#include "kernels/KernelTest.h"

using namespace tilewise;
using namespace tilewise::test;
using namespace tilewise::literals;

namespace {

class VectorAdd : public KernelTest {
protected:
  /// The sums by the kernel, with a few elements behind them that it must leave alone.
  template <typename T>
  std::vector<T> run(Device device, const std::vector<T> &x, const std::vector<T> &y, int n, int block) {
    auto dx = Tensor::from(x, {}, device), dy = Tensor::from(y, {}, device);
    auto dz = Tensor::from(std::vector<T>(n + kGuard, T(-7.0)), {}, device);
    load("vector_add.py")[cdiv(n, block)](dx, dy, dz, n, "BLOCK"_a = block);
    return dz.template toVector<T>();
  }

  static constexpr int kGuard = 5;
};

TEST_P(VectorAdd, Sums) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    for (auto [n, block] :
         {std::pair{1, 1}, {1, 16}, {3, 2}, {1023, 1024}, {1024, 1024}, {1025, 256}, {98432, 1024}, {100003, 512}}) {
      const auto x = noise<T>(n, -100, 100, 1), y = noise<T>(n, -3, 3, 2);
      std::vector<T> expected(n + kGuard, T(-7.0));
      for (int i = 0; i < n; ++i)
        if constexpr (std::is_arithmetic_v<T>)
          expected[i] = x[i] + y[i];
        else
          expected[i] = T(double(x[i]) + double(y[i])); // exact as a double, so rounded once
      const auto got = run(device(), x, y, n, block);
      const std::string size = std::to_string(n) + "/" + std::to_string(block);
      expectBits(size, "c++", got, expected);
      if (!isReference())
        expectBits(size, "reference", got, run(Device("reference"), x, y, n, block));
    }
  });
}

TEST_P(VectorAdd, SpecialValues) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    const double inf = INFINITY, big = double(T(3e4)), tiny = 2 * halfSmallest<T>();
    const std::vector<double> left = {0, -0.0, -0.0, inf, -inf, big, tiny, -tiny, tiny},
                              right = {-0.0, 0, -0.0, 1, 1, -big, tiny, tiny, 1};
    std::vector<T> x, y, expected;
    for (size_t i = 0; i < left.size(); ++i) {
      x.push_back(T(left[i]));
      y.push_back(T(right[i]));
      expected.push_back(T(left[i] + right[i]));
    }
    const int n = int(x.size());
    expected.resize(n + kGuard, T(-7.0));
    expectBits(std::to_string(n), "c++", run(device(), x, y, n, 16), expected);
  });
}

TILEWISE_ON_EVERY_ENGINE(VectorAdd, DType::Float32, DType::Float16, DType::BFloat16, DType::Float64);

} // namespace
