// Pictures by the kernel library, each checked against plain C++: greyscale, sepia, filters with
// two kinds of border; sizes that no block divides.
#include "Example.hpp"

#include <tilewise/ops.hpp>

#include <algorithm>

using tilewise::Tensor;
namespace ops = tilewise::ops;

static const int height = 13, width = 70, size = height * width;

/// Three planes of values from 0 to 1.
static std::vector<float> picture() {
  std::vector<float> values = wave(3 * size, 0.37, 0.5);
  for (float &value : values)
    value += 0.5f;
  return values;
}

static bool colours(tilewise::Device device) {
  const std::vector<float> in = picture();
  const double mix[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
  std::vector<double> grey(size), sepia(3 * size);
  for (int i = 0; i < size; ++i) {
    grey[i] = 0.299 * in[i] + 0.587 * in[size + i] + 0.114 * in[2 * size + i];
    for (int c = 0; c < 3; ++c)
      sepia[c * size + i] = std::min(1.0, mix[c][0] * in[i] + mix[c][1] * in[size + i] + mix[c][2] * in[2 * size + i]);
  }
  const auto x = Tensor::from(in, {3, height, width}, device);
  bool isGood = compare("greyscale", device, ops::greyscale(x).toVector<float>(), grey, 1e-6);
  isGood &= compare("sepia", device, ops::sepia(x).toVector<float>(), sepia, 1e-6);
  return isGood;
}

static bool filters(tilewise::Device device) {
  const std::vector<float> in = picture(), weights = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  const auto x = Tensor::from(in, {3, height, width}, device), sobel = Tensor::from(weights, {3, 3}, device);
  bool isGood = true;
  for (const char *border : {"zero", "clamp"}) {
    const bool clamps = std::string(border) == "clamp";
    std::vector<double> expected(in.size());
    for (int i = 0; i < 3 * size; ++i)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int wantedY = i % size / width + dy, wantedX = i % width + dx;
          const int row = std::clamp(wantedY, 0, height - 1), column = std::clamp(wantedX, 0, width - 1);
          if (clamps || (row == wantedY && column == wantedX))
            expected[i] += weights[(dy + 1) * 3 + dx + 1] * double(in[i / size * size + row * width + column]);
        }
    isGood &= compare(clamps ? "filter2d, clamped" : "filter2d", device,
                      ops::filter2d(x, sobel, border).toVector<float>(), expected, 2e-6);
  }
  return isGood;
}

int main(int argc, char **argv) {
  return runExample(argc, argv, [](tilewise::Device device) { return colours(device) && filters(device); });
}
