// A colour image in grey, as kernels/greyscale.py has it.
#ifndef TILEWISE_KERNELS_GREYSCALE_HPP
#define TILEWISE_KERNELS_GREYSCALE_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tl::value brightness(const tl::value &red, const tl::value &green, const tl::value &blue) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

inline tilewise::Kernel greyscale() {
  return tilewise::jit("greyscale", {"in_ptr", "out_ptr", "height", "width", "BLOCK_H", "BLOCK_W"},
                       [](tl::value in_ptr, tl::value out_ptr, tl::value height, tl::value width,
                          tl::constexpr_ BLOCK_H, tl::constexpr_ BLOCK_W) {
                         auto y = tl::program_id(0) * BLOCK_H + tl::arange(0, BLOCK_H)[{tl::all, tl::none}];
                         auto x = tl::program_id(1) * BLOCK_W + tl::arange(0, BLOCK_W)[{tl::none, tl::all}];
                         auto inside = (y < height) & (x < width);
                         auto pixel = y * width + x;
                         auto plane = height * width;
                         auto red = tl::load(in_ptr + pixel, tl::mask = inside);
                         auto green = tl::load(in_ptr + plane + pixel, tl::mask = inside);
                         auto blue = tl::load(in_ptr + 2 * plane + pixel, tl::mask = inside);
                         tl::store(out_ptr + pixel, brightness(red, green, blue), tl::mask = inside);
                       });
}

} // namespace kernels

#endif
