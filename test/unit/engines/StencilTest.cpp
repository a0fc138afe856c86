// Stencils: loads of neighbouring rows and columns, with masks that begin and end anywhere in a
// block.
#include "engines/RunSource.h"

#include <algorithm>
#include <cmath>

namespace tilewise::engines {
namespace {

class Stencil : public OnEngine {};
ON_EACH_ENGINE(Stencil);

void launch(const std::unique_ptr<Executable> &kernel, const std::vector<uint64_t> &slots,
            std::array<uint32_t, 3> grid = {1, 1, 1}) {
  ASSERT_TRUE(kernel);
  auto done = kernel->launch(slots, {grid}, nullptr);
  ASSERT_TRUE(done) << done.failure().message;
}

template <typename T> uint64_t slot(std::vector<T> &buffer) { return reinterpret_cast<uint64_t>(buffer.data()); }

std::vector<int32_t> numbers(size_t count, int32_t seed = 1) {
  std::vector<int32_t> result(count);
  for (size_t i = 0; i < count; ++i)
    result[i] = int32_t((i * 2654435761u + uint32_t(seed) * 40503u) >> 12) % 1000;
  return result;
}

struct Picture {
  int height, width;
  std::vector<int32_t> data;
  int64_t at(int y, int x) const {
    return y < 0 || x < 0 || y >= height || x >= width ? -5 : data[size_t(y) * size_t(width) + size_t(x)];
  }
};

/// Each tap weighs what its place says; outside of the picture everything is -5.
std::vector<int32_t> convolved(const Picture &in, int size, int anchor) {
  std::vector<int32_t> out;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      int64_t sum = 0;
      for (int dy = 0; dy < size; ++dy)
        for (int dx = 0; dx < size; ++dx)
          sum += in.at(y + dy - anchor, x + dx - anchor) * (dy * size + dx + 1);
      out.push_back(int32_t(sum));
    }
  return out;
}

const char *const convolution = R"(
@triton.jit
def k(src, dst, height, width, SIZE: tl.constexpr, ANCHOR: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    x = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    acc = tl.zeros((BH, BW), dtype=tl.int32)
    for dy in tl.static_range(SIZE):
        for dx in tl.static_range(SIZE):
            yy = y + dy - ANCHOR
            xx = x + dx - ANCHOR
            inside = (yy >= 0) & (yy < height) & (xx >= 0) & (xx < width)
            acc += tl.load(src + yy * width + xx, mask=inside, other=-5) * (dy * SIZE + dx + 1)
    tl.store(dst + y * width + x, acc, mask=(y < height) & (x < width))
)";

TEST_P(Stencil, PaddedOnAllSides) {
  for (auto [bh, bw] : {std::pair{4, 32}, {8, 64}, {2, 128}, {1, 64}, {16, 2}})
    for (auto [size, anchor] : {std::pair{3, 1}, {2, 2}, {4, 0}}) {
      if (size == 4 && bw != 32)
        continue;
      const std::string constants =
          std::to_string(size) + ", " + std::to_string(anchor) + ", " + std::to_string(bh) + ", " + std::to_string(bw);
      auto kernel = loadSource(convolution, "*i32, *i32, i32, i32, " + constants);
      for (auto [height, width] : {std::pair{1, 1}, {7, 5}, {16, 64}, {33, 70}, {19, 129}}) {
        Picture in{height, width, numbers(size_t(height) * size_t(width))};
        const std::vector<int32_t> expected = convolved(in, size, anchor);
        // What lies behind the picture must stay.
        std::vector<int32_t> out(expected.size() + 256, 77);
        launch(kernel, {slot(in.data), slot(out), uint64_t(height), uint64_t(width)},
               {uint32_t((height + bh - 1) / bh), uint32_t((width + bw - 1) / bw), 1});
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()))
            << constants << " " << height << "x" << width;
        EXPECT_TRUE(
            std::all_of(out.begin() + ptrdiff_t(expected.size()), out.end(), [](int32_t v) { return v == 77; }));
      }
    }
}

TEST_P(Stencil, InPlaceReadsEverythingFirst) {
  Picture in{13, 50, numbers(13 * 50)};
  const std::vector<int32_t> expected = convolved(in, 3, 1);
  launch(loadSource(convolution, "*i32, *i32, i32, i32, 3, 1, 16, 64"), {slot(in.data), slot(in.data), 13, 50});
  EXPECT_EQ(in.data, expected);
}

TEST_P(Stencil, StoredARowAndAColumnFurtherOn) {
  const int height = 16, width = 64;
  auto kernel = loadSource(convolution, "*i32, *i32, i32, i32, 3, 1, 16, 64");
  for (int shift : {-65, -64, -1, 1, 64, 66, 1024}) {
    std::vector<int32_t> memory = numbers(3 * 2048);
    Picture in{height, width, {memory.begin() + 2048, memory.begin() + 2048 + height * width}};
    std::vector<int32_t> expected = memory, values = convolved(in, 3, 1);
    std::copy(values.begin(), values.end(), expected.begin() + 2048 + shift);
    uint64_t first = reinterpret_cast<uint64_t>(memory.data() + 2048);
    launch(kernel, {first, first + uint64_t(int64_t(shift) * 4), height, width});
    EXPECT_EQ(memory, expected) << shift;
  }
}

TEST_P(Stencil, TwoResultsOfNeighbouringRows) {
  const int height = 11, width = 40;
  Picture in{height, width, numbers(height * width)};
  std::vector<int32_t> sums(height * width, 7), differences(height * width, 8);
  launch(loadSource(R"(
@triton.jit
def k(src, sums, differences, height, width, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.arange(0, BH)[:, None]
    x = tl.arange(0, BW)[None, :]
    here = src + y * width + x
    above = tl.load(here - width, mask=(y > 0) & (y <= height) & (x < width), other=-5)
    below = tl.load(here + width, mask=(y + 1 < height) & (x < width), other=-5)
    mask = (y < height) & (x < width)
    tl.store(sums + y * width + x, above + below, mask=mask)
    tl.store(differences + y * width + x, above - below, mask=mask)
)",
                    "*i32, *i32, *i32, i32, i32, 16, 64"),
         {slot(in.data), slot(sums), slot(differences), height, width});
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      EXPECT_EQ(sums[size_t(y * width + x)], in.at(y - 1, x) + in.at(y + 1, x));
      EXPECT_EQ(differences[size_t(y * width + x)], in.at(y - 1, x) - in.at(y + 1, x));
    }
}

// A second nest needs what the stencil gives: rows taken together write to scratch.
TEST_P(Stencil, ReducedAfterwards) {
  const int height = 16, width = 37;
  Picture in{height, width, numbers(height * width)};
  std::vector<float> out(height * width, 0);
  launch(loadSource(R"(
@triton.jit
def k(src, out, height, width, BH: tl.constexpr, BW: tl.constexpr):
    y = tl.arange(0, BH)[:, None]
    x = tl.arange(0, BW)[None, :]
    acc = tl.zeros((BH, BW), dtype=tl.float32)
    for dy in tl.static_range(3):
        acc += tl.load(src + (y + dy) * width + x, mask=(y + dy < height) & (x < width), other=0).to(tl.float32)
    root = tl.sqrt(acc)
    top = tl.max(tl.where(x < width, root, 0.0), axis=1)
    tl.store(out + y * width + x, root - top[:, None], mask=(y < height) & (x < width))
)",
                    "*i32, *fp32, i32, i32, 16, 64"),
         {slot(in.data), slot(out), height, width});
  for (int y = 0; y < height; ++y) {
    std::vector<float> roots;
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int dy = 0; dy < 3; ++dy)
        sum += y + dy < height ? float(in.at(y + dy, x)) : 0;
      roots.push_back(std::sqrt(sum));
    }
    const float top = *std::max_element(roots.begin(), roots.end());
    for (int x = 0; x < width; ++x)
      EXPECT_NEAR(out[size_t(y * width + x)], roots[size_t(x)] - top, 1e-4f);
  }
}

TEST_P(Stencil, ReductionsOfARowThatBeginsInTheMiddle) {
  for (int block : {64, 256}) {
    auto kernel = loadSource(R"(
@triton.jit
def combine(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)

@triton.jit
def k(src, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(src + i, mask=(i >= low) & (i < high), other=-1)
    tl.store(out, tl.sum(x))
    tl.store(out + 1, tl.max(x))
    value, where = tl.reduce((x, i), 0, combine)
    tl.store(out + 2, value)
    tl.store(out + 3, where)
)",
                             "*i32, *i32, i32, i32, " + std::to_string(block));
    for (int low : {0, 1, 15, 16, 17, 40, 63, 64, 200, 300})
      for (int high : {0, 16, 33, 64, 255, 256, 300}) {
        std::vector<int32_t> in = numbers(512), out(4, 0);
        launch(kernel, {slot(in), slot(out), uint64_t(low), uint64_t(high)});
        std::vector<int32_t> row;
        for (int i = 0; i < block; ++i)
          row.push_back(i >= low && i < high ? in[size_t(i)] : -1);
        const auto top = std::max_element(row.begin(), row.end());
        int32_t sum = 0;
        for (int32_t value : row)
          sum += value;
        EXPECT_EQ(out, (std::vector<int32_t>{sum, *top, *top, int32_t(top - row.begin())})) << low << " " << high;
      }
  }
}

} // namespace
} // namespace tilewise::engines
