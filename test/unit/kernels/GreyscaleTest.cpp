// kernels/greyscale.py: each pixel bit for bit, with the multiply-adds that tile-form-fma forms,
// and without them.
#include "kernels/KernelTest.h"

using namespace tilewise;
using namespace tilewise::test;
using namespace tilewise::literals;

namespace {

class Greyscale : public KernelTest {
protected:
  template <typename T>
  std::vector<T> run(Device device, const std::vector<T> &colour, int height, int width, bool fusion) {
    auto in = Tensor::from(colour, {3, height, width}, device);
    auto out = Tensor::from(std::vector<T>(size_t(height) * width + kGuard, T(-7.0)), {}, device);
    Options options;
    options.fpFusion = fusion;
    load("greyscale.py", "greyscale")[{cdiv(height, 8), cdiv(width, 32)}].with(options)(
        in, out, height, width, "BLOCK_H"_a = 8, "BLOCK_W"_a = 32);
    return out.template toVector<T>();
  }

  static constexpr int kGuard = 5;
};

/// a * b + c with one rounding. For the small types the double's is exact: products of 22 bits and
/// sums of numbers near 1.
template <typename T> T multiplyAdd(T a, T b, T c) {
  if constexpr (std::is_arithmetic_v<T>)
    return std::fma(a, b, c);
  else
    return T(std::fma(double(a), double(b), double(c)));
}
template <typename T> T multiply(T a, T b) {
  if constexpr (std::is_arithmetic_v<T>)
    return a * b;
  else
    return T(double(a) * double(b));
}
template <typename T> T add(T a, T b) {
  if constexpr (std::is_arithmetic_v<T>)
    return a + b;
  else
    return T(double(a) + double(b));
}

TEST_P(Greyscale, Pixels) {
  withFloatType(dtype(), [&](auto type) {
    using T = decltype(type);
    for (bool fusion : {true, false})
      for (auto [height, width] : {std::pair{1, 1}, {8, 32}, {9, 33}, {7, 100}, {123, 321}}) {
        const int plane = height * width;
        const auto colour = noise<T>(size_t(3) * plane, 0, 1, 5);
        const T red(0.299), green(0.587), blue(0.114);
        std::vector<T> expected(plane + kGuard, T(-7.0));
        for (int i = 0; i < plane; ++i) {
          const T r = colour[i], g = colour[plane + i], b = colour[2 * plane + i];
          expected[i] = fusion ? multiplyAdd(blue, b, multiplyAdd(red, r, multiply(green, g)))
                               : add(add(multiply(red, r), multiply(green, g)), multiply(blue, b));
        }
        const auto got = run(device(), colour, height, width, fusion);
        const std::string size = std::to_string(height) + "x" + std::to_string(width) + (fusion ? "" : ",unfused");
        expectBits(size, "c++", got, expected);
        if (!isReference())
          expectBits(size, "reference", got, run(Device("reference"), colour, height, width, fusion));
      }
  });
}

TILEWISE_ON_EVERY_ENGINE(Greyscale, DType::Float32, DType::Float16, DType::BFloat16, DType::Float64);

} // namespace
