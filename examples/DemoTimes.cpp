// Times and bytes moved: one fused kernel, the same maths as a kernel per pass, and on a CPU the
// same passes as plain C++ loops on the same threads.
#include "Demo.hpp"
#include "KernelFile.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sched.h>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace demo {

/// Softmax and greyscale taken apart: what a library of single operations would run.
static const char *const kPasses = R"(
import triton
import triton.language as tl

@triton.jit
def row_max(x_ptr, top_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=-float("inf"))
    tl.store(top_ptr + row, tl.max(x, axis=0))

@triton.jit
def exp_of_difference(x_ptr, top_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns)
    tl.store(y_ptr + row * columns + column, tl.exp(x - tl.load(top_ptr + row)), mask=column < columns)

@triton.jit
def row_sum(y_ptr, sum_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    y = tl.load(y_ptr + row * columns + column, mask=column < columns, other=0.0)
    tl.store(sum_ptr + row, tl.sum(y, axis=0))

@triton.jit
def divide_rows(y_ptr, sum_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    y = tl.load(y_ptr + row * columns + column, mask=column < columns)
    tl.store(y_ptr + row * columns + column, y / tl.load(sum_ptr + row), mask=column < columns)

@triton.jit
def scale(x_ptr, factor, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, factor * tl.load(x_ptr + at, mask=at < n), mask=at < n)

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(y_ptr + at, mask=at < n) + tl.load(x_ptr + at, mask=at < n), mask=at < n)
)";

/// Milliseconds of one call: the best of several rounds, since noise only adds.
static double time(const tilewise::Device &device, const std::function<void()> &call) {
  using Clock = std::chrono::steady_clock;
  auto round = [&](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    device.synchronize();
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count() / calls;
  };
  round(1); // compiles, and touches the memory
  const int calls = std::clamp(int(20 / std::max(round(1), 1e-3)), 1, 1000);
  double best = INFINITY;
  for (int i = 0; i < 7; ++i)
    best = std::min(best, round(calls));
  return best;
}

static int threadsOfTheEngine() {
  if (const char *text = std::getenv("TILEWISE_NUM_THREADS"); text && std::atoi(text) > 0)
    return std::atoi(text);
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
}

/// Of tensors that kernels read or write once each: what has to go between memory and the cores.
static double megabytes(std::initializer_list<const Tensor *> touched) {
  double bytes = 0;
  for (const Tensor *tensor : touched)
    bytes += double(tensor->elements() * size(tensor->dtype()));
  return bytes / 1e6;
}

struct Cost {
  double milliseconds, megabytes;
};

/// Plain loops make the same passes over the same memory; there are none for a GPU.
static void printRow(const tilewise::Device &device, const std::string &what, const Cost &fused, const Cost &passes,
                     double plain) {
  std::printf("  %-10s %-22s %8.3f ms %4.0f MB | %8.3f ms %4.0f MB (%4.1fx, %3.1fx)", device.text().c_str(),
              what.c_str(), fused.milliseconds, fused.megabytes, passes.milliseconds, passes.megabytes,
              passes.milliseconds / fused.milliseconds, passes.megabytes / fused.megabytes);
  if (plain > 0)
    std::printf(" | %8.3f ms (%4.1fx)", plain, plain / fused.milliseconds);
  std::printf("\n");
}

static bool near(const Tensor &a, const Tensor &b) {
  const auto x = a.toVector<float>(), y = b.toVector<float>();
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= 1e-5f * std::fabs(x[i]) + 1e-12f)) {
      std::printf("  the fused kernel and the passes differ at %zu: %g and %g\n", i, x[i], y[i]);
      return false;
    }
  return true;
}

static bool timeSoftmax(const tilewise::Device &device, int rows, int columns) {
  std::vector<float> x(size_t(rows) * columns);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i * 2654435761u % 4096) / 256;
  auto in = Tensor::from(x, {rows, columns}, device), out = Tensor::like(in), apart = Tensor::like(in);
  Tensor top(DType::Float32, {rows}, device), sum(DType::Float32, {rows}, device);
  auto softmax = Kernel::load(kernelFile("softmax.py"));
  auto rowMax = Kernel::fromSource(kPasses, "row_max"), exp = Kernel::fromSource(kPasses, "exp_of_difference");
  auto rowSum = Kernel::fromSource(kPasses, "row_sum"), divide = Kernel::fromSource(kPasses, "divide_rows");
  const auto block = tilewise::nextPowerOf2(columns);

  const double fused =
      time(device, [&] { softmax[rows](out, in, out.stride(0), in.stride(0), columns, "BLOCK"_a = block); });
  const double passes = time(device, [&] {
    rowMax[rows](in, top, columns, block);
    exp[rows](in, top, apart, columns, block);
    rowSum[rows](apart, sum, columns, block);
    divide[rows](apart, sum, columns, block);
  });
  if (!near(out, apart))
    return false;
  double plainTime = 0;
  if (device == tilewise::Device("cpu")) {
    const int threads = threadsOfTheEngine();
    float *y = apart.data<float>(), *t = top.data<float>(), *s = sum.data<float>();
    plainTime = time(device, [&] {
      plain::rowMax(x.data(), t, rows, columns, threads);
      plain::expOfDifference(x.data(), t, y, rows, columns, threads);
      plain::rowSum(y, s, rows, columns, threads);
      plain::divideRows(y, s, rows, columns, threads);
    });
  }
  // Row by row: the largest, the powers, their sum, the quotients in place.
  const double moved = megabytes({&in, &top, &in, &top, &apart, &apart, &sum, &apart, &sum, &apart});
  printRow(device, "softmax " + std::to_string(rows) + " x " + std::to_string(columns), {fused, megabytes({&in, &out})},
           {passes, moved}, plainTime);
  return true;
}

static bool timeGreyscale(const tilewise::Device &device, int height, int width) {
  const int plane = height * width;
  std::vector<float> colour(size_t(3) * plane);
  for (size_t i = 0; i < colour.size(); ++i)
    colour[i] = float(i * 2654435761u % 256) / 255;
  auto in = Tensor::from(colour, {3, height, width}, device);
  Tensor out(DType::Float32, {height, width}, device), apart = Tensor::like(out), part = Tensor::like(out);
  auto greyscale = Kernel::load(kernelFile("greyscale.py"), "greyscale");
  auto scale = Kernel::fromSource(kPasses, "scale"), add = Kernel::fromSource(kPasses, "add");
  auto planeOf = [&](int index) {
    return Tensor::view(static_cast<float *>(in.data()) + size_t(index) * plane, {plane}, {}, device);
  };
  const Tensor red = planeOf(0), green = planeOf(1), blue = planeOf(2);

  const double fused = time(device, [&] {
    greyscale[{cdiv(height, 4), cdiv(width, 1024)}](in, out, height, width, "BLOCK_H"_a = 4, "BLOCK_W"_a = 1024);
  });
  const auto grid = cdiv(plane, 1024);
  const double passes = time(device, [&] {
    scale[grid](red, 0.299f, apart, plane, 1024);
    scale[grid](green, 0.587f, part, plane, 1024);
    add[grid](part, apart, plane, 1024);
    scale[grid](blue, 0.114f, part, plane, 1024);
    add[grid](part, apart, plane, 1024);
  });
  if (!near(out, apart))
    return false;
  double plainTime = 0;
  if (device == tilewise::Device("cpu")) {
    const int threads = threadsOfTheEngine();
    const float *c = colour.data();
    float *y = apart.data<float>(), *p = part.data<float>();
    plainTime = time(device, [&] {
      plain::scale(c, 0.299f, y, plane, threads);
      plain::scale(c + plane, 0.587f, p, plane, threads);
      plain::add(p, y, plane, threads);
      plain::scale(c + 2 * plane, 0.114f, p, plane, threads);
      plain::add(p, y, plane, threads);
    });
  }
  // Three planes scaled, two of them added to the first in place.
  const double moved =
      megabytes({&red, &apart, &green, &part, &part, &apart, &apart, &blue, &part, &part, &apart, &apart});
  printRow(device, "greyscale " + std::to_string(height) + " x " + std::to_string(width),
           {fused, megabytes({&in, &out})}, {passes, moved}, plainTime);
  return true;
}

bool printTimes(const tilewise::Device &device, int scale) {
  return timeSoftmax(device, 4096 / scale, 4096 / scale) && timeGreyscale(device, 4096 / scale, 4096);
}

} // namespace demo
