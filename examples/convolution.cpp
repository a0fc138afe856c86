// Six filters over a picture, each anchored at its top left, with zeros beyond the bottom and the
// right; writes the results as PNG.
#include "Example.hpp"
#include "Picture.hpp"

using namespace tilewise::literals;

struct Filter {
  const char *name;
  int size;
  float divisor;
  std::vector<float> weights;
};

static bool convolution(tilewise::Device device) {
  const Filter filters[] = {
      {"sharpen", 3, 1, {0, -1, 0, -1, 5, -1, 0, -1, 0}},
      {"edge", 3, 1, {-1, -1, -1, -1, 8, -1, -1, -1, -1}},
      {"sobel_x", 3, 1, {-1, 0, 1, -2, 0, 2, -1, 0, 1}},
      {"sobel_y", 3, 1, {1, 2, 1, 0, 0, 0, -1, -2, -1}},
      {"gaussian", 5, 256, {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1}},
      {"motion_blur", 5, 5, {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}},
  };
  const int planes = 3, height = 101, width = 173;
  const auto picture = drawPicture(height, width);

  auto convolve = loadKernel("convolution.py");
  auto in = tilewise::Tensor::from(picture, {planes, height, width}, device);
  bool isGood = true;
  for (const Filter &filter : filters) {
    std::vector<float> weights = filter.weights;
    for (float &weight : weights)
      weight /= filter.divisor;
    auto taps = tilewise::Tensor::from(weights, {filter.size, filter.size}, device), out = tilewise::Tensor::like(in);
    convolve[{planes, tilewise::cdiv(height, 16), tilewise::cdiv(width, 32)}](
        in, out, taps, height, width, "SIZE"_a = filter.size, "BLOCK_H"_a = 16, "BLOCK_W"_a = 32);

    std::vector<double> expected;
    for (int plane = 0; plane < planes; ++plane)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          double sum = 0;
          for (int dy = 0; dy < filter.size && y + dy < height; ++dy)
            for (int dx = 0; dx < filter.size && x + dx < width; ++dx)
              sum += double(weights[dy * filter.size + dx]) * picture[(plane * height + y + dy) * width + x + dx];
          expected.push_back(sum);
        }
    const auto got = out.toVector<float>();
    isGood &= compare(filter.name, device, got, expected, 1e-5) &&
              writePng(filter.name + std::string(".png"), got, planes, height, width);
  }
  return isGood;
}

int main(int argc, char **argv) { return runExample(argc, argv, convolution); }
