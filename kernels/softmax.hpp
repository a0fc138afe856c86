// Softmax of each row of a matrix, as kernels/softmax.py has it.
#ifndef TILEWISE_KERNELS_SOFTMAX_HPP
#define TILEWISE_KERNELS_SOFTMAX_HPP

#include <tilewise/jit.hpp>

#include <cmath>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel softmax() {
  return tilewise::jit("softmax", {"out_ptr", "in_ptr", "out_stride", "in_stride", "columns", "BLOCK"},
                       [](tl::value out_ptr, tl::value in_ptr, tl::value out_stride, tl::value in_stride,
                          tl::value columns, tl::constexpr_ BLOCK) {
                         auto row = tl::program_id(0);
                         auto column = tl::arange(0, BLOCK);
                         auto inside = column < columns;
                         auto p = in_ptr + row * in_stride + column;
                         auto x = tl::load(p, tl::mask = inside, tl::other = -INFINITY).to(tl::float32);
                         auto weight = tl::exp(x - tl::max(x, tl::axis = 0));
                         auto y = weight / tl::sum(weight, tl::axis = 0);
                         tl::store(out_ptr + row * out_stride + column, y, tl::mask = inside);
                       });
}

} // namespace kernels

#endif
