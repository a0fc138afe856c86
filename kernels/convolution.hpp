// A small convolution of each plane of an image, as kernels/convolution.py has it.
#ifndef TILEWISE_KERNELS_CONVOLUTION_HPP
#define TILEWISE_KERNELS_CONVOLUTION_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel convolve() {
  return tilewise::jit(
      "convolve", {"in_ptr", "out_ptr", "weights_ptr", "height", "width", "SIZE", "BLOCK_H", "BLOCK_W"},
      [](tl::value in_ptr, tl::value out_ptr, tl::value weights_ptr, tl::value height, tl::value width,
         tl::constexpr_ SIZE, tl::constexpr_ BLOCK_H, tl::constexpr_ BLOCK_W) {
        auto plane = tl::program_id(0) * height * width;
        auto y = tl::program_id(1) * BLOCK_H + tl::arange(0, BLOCK_H)[{tl::all, tl::none}];
        auto x = tl::program_id(2) * BLOCK_W + tl::arange(0, BLOCK_W)[{tl::none, tl::all}];
        auto acc = tl::zeros({BLOCK_H, BLOCK_W}, tl::dtype_ = tl::float32);
        for (auto dy : tl::static_range(SIZE))
          for (auto dx : tl::static_range(SIZE)) {
            auto inside = (y + dy < height) & (x + dx < width);
            auto value = tl::load(in_ptr + plane + (y + dy) * width + (x + dx), tl::mask = inside, tl::other = 0.0);
            acc += value * tl::load(weights_ptr + dy * SIZE + dx);
          }
        tl::store(out_ptr + plane + y * width + x, acc, tl::mask = (y < height) & (x < width));
      });
}

} // namespace kernels

#endif
