// Filters whose border is repeated outwards by clamped offsets: the body without clamps and the one
// with them give what the reference engine gives, wherever a block lies.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kFilters = R"(
import triton
import triton.language as tl

@triton.jit
def mean(in_ptr, out_ptr, h, w, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    x = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    acc = tl.zeros((BH, BW), dtype=tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            i = tl.minimum(tl.maximum(y + dy - 1, 0), h - 1)
            j = tl.maximum(tl.minimum(x + dx - 1, w - 1), 0)
            acc += tl.load(in_ptr + i * w + j)
    tl.store(out_ptr + y * w + x, acc, mask=(y < h) & (x < w))

@triton.jit
def mirrored(in_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    back = tl.minimum(tl.maximum(n - 3 - at, 0), n - 1)
    first = tl.load(in_ptr + back)
    if n > 20:
        first += tl.load(in_ptr + tl.minimum(tl.maximum(at - 2, 0), n - 1))
    tl.store(out_ptr + at, first, mask=at < n)

@triton.jit
def pick(in_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    near = tl.minimum(tl.maximum(at - 5, 0), n - 1)
    far = tl.minimum(at * step, n - 1)
    value = tl.load(in_ptr + near, mask=at % 3 != 0, other=7) + tl.load(in_ptr + far)
    tl.store(out_ptr + at, value, mask=at < n)
)";

std::vector<float> numbers(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(float(i * 7 % 31 - 9));
  return values;
}

TEST(CpuClamps, PicturesOfAllSizes) {
  auto mean = Kernel::fromSource(kFilters, "mean");
  for (int h : {1, 3, 8, 20, 33})
    for (int w : {1, 15, 32, 64, 100}) {
      auto in = Tensor::from(numbers(h * w), {h, w});
      std::vector<float> results[2];
      for (const char *device : {"reference", "cpu"}) {
        auto out = Tensor::like(in);
        mean[{cdiv(h, 4), cdiv(w, 16)}].on(Device(device))(in, out, h, w, "BH"_a = 4, "BW"_a = 16);
        results[*device == 'c'] = out.toVector<float>();
      }
      ASSERT_EQ(results[0], results[1]) << h << " x " << w;
    }
}

TEST(CpuClamps, BackwardsAndInBranches) {
  auto mirrored = Kernel::fromSource(kFilters, "mirrored");
  for (int n : {1, 5, 16, 40, 64, 100}) {
    auto in = Tensor::from(numbers(n));
    std::vector<float> results[2];
    for (const char *device : {"reference", "cpu"}) {
      auto out = Tensor::like(in);
      mirrored[cdiv(n, 16)].on(Device(device))(in, out, n, "BLOCK"_a = 16);
      results[*device == 'c'] = out.toVector<float>();
    }
    ASSERT_EQ(results[0], results[1]) << n;
  }
}

// A picture that is written over itself, at the same place or some elements on: one program loads
// all of its block before it stores any of it.
TEST(CpuClamps, OverItself) {
  auto mean = Kernel::fromSource(kFilters, "mean");
  const int h = 10, w = 50, count = h * w;
  for (int shift : {-count, -count + 1, -51, -50, -17, -1, 0, 1, 16, 50, 51, count - 1, count}) {
    std::vector<float> results[2];
    for (const char *device : {"reference", "cpu"}) {
      std::vector<float> &memory = results[*device == 'c'];
      memory = numbers(3 * count);
      auto in = Tensor::view(memory.data() + count, {h, w}), out = Tensor::view(memory.data() + count + shift, {h, w});
      mean[{1, 1}].on(Device(device))(in, out, h, w, "BH"_a = 16, "BW"_a = 64);
    }
    ASSERT_EQ(results[0], results[1]) << "shifted by " << shift;
  }
}

// Lanes that are neighbours are read as one vector, with the lanes off the mask as they are; those
// that are held back, or further apart, one by one.
TEST(CpuClamps, MasksOtherTypesAndSteps) {
  auto pick = Kernel::fromSource(kFilters, "pick");
  auto run = [&](auto zero, int n, int step) {
    using Element = decltype(zero);
    std::vector<Element> values;
    for (int i = 0; i < n; ++i)
      values.push_back(Element(i * 7 % 31));
    auto in = Tensor::from(values);
    std::vector<Element> results[2];
    for (const char *device : {"reference", "cpu"}) {
      auto out = Tensor::like(in);
      pick[cdiv(n, 64)].on(Device(device))(in, out, n, step, "BLOCK"_a = 64);
      results[*device == 'c'] = out.template toVector<Element>();
    }
    return results[0] == results[1];
  };
  for (int n : {1, 5, 64, 200})
    for (int step : {1, 2, 3}) {
      EXPECT_TRUE(run(std::uint8_t(0), n, step)) << n << " bytes, step " << step;
      EXPECT_TRUE(run(0, n, step)) << n << " ints, step " << step;
      EXPECT_TRUE(run(0.0, n, step)) << n << " doubles, step " << step;
    }
}

// What it is for: straight vector loads for blocks inside.
TEST(CpuClamps, InsideAreNoGathers) {
  auto mean = Kernel::fromSource(kFilters, "mean");
  const std::string text = mean.emit("cpu", "*fp32:16, *fp32:16, i32, i32, 16, 256", "cpu:x86-64-v3");
  EXPECT_NE(text.find("scf.if"), std::string::npos);
  EXPECT_NE(text.find("llvm.load %"), std::string::npos);
  const size_t vectors = text.find("-> vector<8xf32>");
  EXPECT_NE(vectors, std::string::npos) << text.substr(0, 2000);
  // And at the border, for the vectors that it does not cut.
  const size_t gather = text.find("llvm.intr.masked.gather");
  ASSERT_NE(gather, std::string::npos);
  const size_t otherwise = text.rfind("} else {", gather), branch = text.rfind("scf.if", otherwise);
  EXPECT_LT(text.find("llvm.load", branch), otherwise);
  EXPECT_EQ(text.find("vector.reduction <and>"), std::string::npos) << "two lanes say it of all";
}

} // namespace
