// A colour image in brown, as kernels/sepia.py has it.
#ifndef TILEWISE_KERNELS_SEPIA_HPP
#define TILEWISE_KERNELS_SEPIA_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tl::value tint(const tl::value &red, const tl::value &green, const tl::value &blue, double r, double g,
                      double b) {
  return tl::minimum(r * red + g * green + b * blue, 1.0);
}

inline tilewise::Kernel sepia() {
  return tilewise::jit(
      "sepia", {"in_ptr", "out_ptr", "height", "width", "BLOCK_H", "BLOCK_W"},
      [](tl::value in_ptr, tl::value out_ptr, tl::value height, tl::value width, tl::constexpr_ BLOCK_H,
         tl::constexpr_ BLOCK_W) {
        auto y = tl::program_id(0) * BLOCK_H + tl::arange(0, BLOCK_H)[{tl::all, tl::none}];
        auto x = tl::program_id(1) * BLOCK_W + tl::arange(0, BLOCK_W)[{tl::none, tl::all}];
        auto inside = (y < height) & (x < width);
        auto pixel = y * width + x;
        auto plane = height * width;
        auto red = tl::load(in_ptr + pixel, tl::mask = inside);
        auto green = tl::load(in_ptr + plane + pixel, tl::mask = inside);
        auto blue = tl::load(in_ptr + 2 * plane + pixel, tl::mask = inside);
        tl::store(out_ptr + pixel, tint(red, green, blue, 0.393, 0.769, 0.189), tl::mask = inside);
        tl::store(out_ptr + plane + pixel, tint(red, green, blue, 0.349, 0.686, 0.168), tl::mask = inside);
        tl::store(out_ptr + 2 * plane + pixel, tint(red, green, blue, 0.272, 0.534, 0.131), tl::mask = inside);
      });
}

} // namespace kernels

#endif
