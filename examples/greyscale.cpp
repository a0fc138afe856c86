// The brightness of a picture: a two-dimensional grid over a masked plane; writes both pictures as PNG. Usage: greyscale [DEVICE]
#include "KernelFile.hpp"
#include "Picture.hpp"

#include <tilewise/tilewise.hpp>

#include <cmath>
#include <cstdio>

using namespace tilewise::literals;

int main(int argc, char **argv) {
  const tilewise::Device device(argc > 1 ? argv[1] : "cpu");
  const int height = 427, width = 641;
  const std::vector<float> colour = drawPicture(height, width);

  auto greyscale = tilewise::Kernel::load(kernelFile("greyscale.py"), "greyscale");
  auto in = tilewise::Tensor::from(colour, {3, height, width}, device);
  tilewise::Tensor out(tilewise::DType::Float32, {height, width}, device);
  greyscale[{tilewise::cdiv(height, 16), tilewise::cdiv(width, 64)}](in, out, height, width, "BLOCK_H"_a = 16,
                                                                     "BLOCK_W"_a = 64);

  const auto grey = out.toVector<float>();
  for (int i = 0, plane = height * width; i < plane; ++i) {
    // The kernel's sum of products with the two multiply-adds that the compiler forms, so that even the last bit agrees.
    const float expected =
        std::fma(0.114f, colour[2 * plane + i], std::fma(0.299f, colour[i], 0.587f * colour[plane + i]));
    if (grey[i] != expected) {
      std::printf("pixel %d is %.9g, expected %.9g\n", i, grey[i], expected);
      return 1;
    }
  }
  if (!writePng("colour.png", colour, 3, height, width) || !writePng("grey.png", grey, 1, height, width))
    return 1;
  std::printf("greyscale on %s: %d x %d pixels, each equal to C++'s; see colour.png and grey.png\n",
              device.text().c_str(), height, width);
}
