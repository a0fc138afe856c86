// A sepia tint: three planes in, three planes out, clipped at 1; writes the picture as PNG.
#include "Example.hpp"
#include "Picture.hpp"

#include <algorithm>

using namespace tilewise::literals;

static bool sepia(tilewise::Device device) {
  const int height = 227, width = 341, plane = height * width;
  const auto colour = drawPicture(height, width);

  auto in = tilewise::Tensor::from(colour, {3, height, width}, device), out = tilewise::Tensor::like(in);
  loadKernel("sepia.py", "sepia")[{tilewise::cdiv(height, 16), tilewise::cdiv(width, 32)}](
      in, out, height, width, "BLOCK_H"_a = 16, "BLOCK_W"_a = 32);

  const double tints[3][3] = {{0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
  std::vector<double> expected;
  for (const auto &tint : tints)
    for (int i = 0; i < plane; ++i)
      expected.push_back(
          std::min(tint[0] * colour[i] + tint[1] * colour[plane + i] + tint[2] * colour[2 * plane + i], 1.0));
  const auto tinted = out.toVector<float>();
  return compare("sepia", device, tinted, expected, 1e-6) && writePng("sepia.png", tinted, 3, height, width);
}

int main(int argc, char **argv) { return runExample(argc, argv, sepia); }
