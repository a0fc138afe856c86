// The brightness of a picture: a two-dimensional grid over a masked plane; writes both pictures as
// PNG.
#include "Example.hpp"
#include "Picture.hpp"

using namespace tilewise::literals;

static bool greyscale(tilewise::Device device) {
  const int height = 427, width = 641, plane = height * width;
  const auto colour = drawPicture(height, width);

  auto in = tilewise::Tensor::from(colour, {3, height, width}, device);
  tilewise::Tensor out(tilewise::DType::Float32, {height, width}, device);
  loadKernel("greyscale.py", "greyscale")[{tilewise::cdiv(height, 16), tilewise::cdiv(width, 64)}](
      in, out, height, width, "BLOCK_H"_a = 16, "BLOCK_W"_a = 64);

  // The kernel's sum of products with the two multiply-adds that the compiler forms, so that even
  // the last bit agrees.
  std::vector<float> expected;
  for (int i = 0; i < plane; ++i)
    expected.push_back(
        std::fma(0.114f, colour[2 * plane + i], std::fma(0.299f, colour[i], 0.587f * colour[plane + i])));
  const auto grey = out.toVector<float>();
  return compare("greyscale", device, grey, expected, 0) && writePng("colour.png", colour, 3, height, width) &&
         writePng("grey.png", grey, 1, height, width);
}

int main(int argc, char **argv) { return runExample(argc, argv, greyscale); }
