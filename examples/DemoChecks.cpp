// The four kernels on one device, each compared with plain C++.
#include "Demo.hpp"
#include "KernelFile.hpp"
#include "Picture.hpp"

#include <cmath>
#include <cstdio>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace demo {

static bool report(const tilewise::Device &device, const char *kernel, const std::string &size, bool isGood,
                   const std::string &how) {
  std::printf("  %-10s %-11s %-22s %s %s\n", device.text().c_str(), kernel, size.c_str(), isGood ? "ok  " : "WRONG",
              how.c_str());
  return isGood;
}

static std::vector<float> wave(size_t n, float step, float height) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = height * std::sin(step * float(i));
  return values;
}

static std::string percent(double part) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f %% of the allowed error", 100 * part);
  return text;
}

static bool checkVectorAdd(const tilewise::Device &device) {
  const int n = 100003;
  const auto x = wave(n, 0.1f, 3), y = wave(n, 0.23f, 5);
  auto dx = Tensor::from(x, {n}, device), dy = Tensor::from(y, {n}, device), dz = Tensor::like(dx);
  Kernel::load(kernelFile("vector_add.py"))[cdiv(n, 512)](dx, dy, dz, n, "BLOCK"_a = 512);
  const auto z = dz.toVector<float>();
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += z[i] != x[i] + y[i];
  return report(device, "vector_add", "100003 fp32", wrong == 0, "bit for bit with a C++ loop");
}

static bool checkSoftmax(const tilewise::Device &device) {
  const int rows = 61, columns = 999;
  const auto x = wave(size_t(rows) * columns, 0.37f, 12);
  auto in = Tensor::from(x, {rows, columns}, device), out = Tensor::like(in);
  Kernel::load(kernelFile("softmax.py"))[rows](out, in, out.stride(0), in.stride(0), columns, "BLOCK"_a = 1024);
  const auto y = out.toVector<float>();
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double top = -INFINITY, sum = 0;
    for (int c = 0; c < columns; ++c)
      top = std::fmax(top, x[r * columns + c]);
    for (int c = 0; c < columns; ++c)
      sum += std::exp(x[r * columns + c] - top);
    for (int c = 0; c < columns; ++c) {
      const double expected = std::exp(x[r * columns + c] - top) / sum;
      worst = std::fmax(worst, std::fabs(y[r * columns + c] - expected) / (expected * 64 * 0x1p-24));
    }
  }
  return report(device, "softmax", "61 x 999 fp32", worst <= 1, "C++ in double, " + percent(worst));
}

static std::vector<float> runGreyscale(const tilewise::Device &device, const std::vector<float> &colour, int height,
                                       int width) {
  auto in = Tensor::from(colour, {3, height, width}, device);
  Tensor out(DType::Float32, {height, width}, device);
  Kernel::load(kernelFile("greyscale.py"), "greyscale")[{cdiv(height, 8), cdiv(width, 128)}](
      in, out, height, width, "BLOCK_H"_a = 8, "BLOCK_W"_a = 128);
  return out.toVector<float>();
}

static bool checkGreyscale(const tilewise::Device &device) {
  const int height = 123, width = 321, plane = height * width;
  const auto colour = drawPicture(height, width);
  const auto grey = runGreyscale(device, colour, height, width);
  int wrong = 0;
  for (int i = 0; i < plane; ++i)
    wrong +=
        grey[i] != std::fma(0.114f, colour[2 * plane + i], std::fma(0.299f, colour[i], 0.587f * colour[plane + i]));
  return report(device, "greyscale", "123 x 321 fp32", wrong == 0, "bit for bit with C++'s fma");
}

static bool checkMatmul(const tilewise::Device &device) {
  const int m = 77, n = 91, k = 129;
  std::vector<tilewise::float16> a, b;
  for (float value : wave(size_t(m) * k, 0.1f, 1))
    a.emplace_back(value);
  for (float value : wave(size_t(k) * n, 0.07f, 1))
    b.emplace_back(value);
  auto da = Tensor::from(a, {m, k}, device), db = Tensor::from(b, {k, n}, device);
  Tensor dc(DType::Float32, {m, n}, device);
  Kernel::load(kernelFile("matmul.py"))[{cdiv(m, 32), cdiv(n, 32)}](
      da, db, dc, m, n, k, da.stride(0), da.stride(1), db.stride(0), db.stride(1), dc.stride(0), dc.stride(1),
      "BLOCK_M"_a = 32, "BLOCK_N"_a = 32, "BLOCK_K"_a = 16);
  const auto c = dc.toVector<float>();
  double worst = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, magnitude = 0;
      for (int i = 0; i < k; ++i) {
        const double product = double(a[row * k + i]) * double(b[i * n + column]);
        sum += product;
        magnitude += std::fabs(product);
      }
      worst = std::fmax(worst, std::fabs(c[row * n + column] - sum) / (k * 0x1p-24 * magnitude));
    }
  return report(device, "matmul", "77 x 91 x 129 fp16", worst <= 1, "C++ in double, " + percent(worst));
}

bool checkKernels(const tilewise::Device &device) {
  // All four run, whatever the first ones say.
  const bool results[] = {checkVectorAdd(device), checkSoftmax(device), checkGreyscale(device), checkMatmul(device)};
  return results[0] && results[1] && results[2] && results[3];
}

bool writePictures(const tilewise::Device &device, const std::string &folder) {
  const int height = 480, width = 720;
  const auto colour = drawPicture(height, width);
  const auto grey = runGreyscale(device, colour, height, width);
  if (!writePng(folder + "/demo-colour.png", colour, 3, height, width) ||
      !writePng(folder + "/demo-grey.png", grey, 1, height, width))
    return false;
  std::printf("filtered a picture of %d x %d on %s:\n  %s/demo-colour.png\n  %s/demo-grey.png\n", width, height,
              device.text().c_str(), folder.c_str(), folder.c_str());
  return true;
}

} // namespace demo
