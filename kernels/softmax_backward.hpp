// The gradient of softmax, as kernels/softmax_backward.py has it.
#ifndef TILEWISE_KERNELS_SOFTMAX_BACKWARD_HPP
#define TILEWISE_KERNELS_SOFTMAX_BACKWARD_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel softmaxBackward() {
  return tilewise::jit("softmax_backward", {"dx_ptr", "y_ptr", "dy_ptr", "stride", "columns", "BLOCK"},
                       [](tl::value dx_ptr, tl::value y_ptr, tl::value dy_ptr, tl::value stride, tl::value columns,
                          tl::constexpr_ BLOCK) {
                         auto row = tl::program_id(0);
                         auto column = tl::arange(0, BLOCK);
                         auto inside = column < columns;
                         auto at = row * stride + column;
                         auto y = tl::load(y_ptr + at, tl::mask = inside, tl::other = 0.0).to(tl::float32);
                         auto dy = tl::load(dy_ptr + at, tl::mask = inside, tl::other = 0.0).to(tl::float32);
                         auto inner = tl::sum(y * dy, tl::axis = 0);
                         tl::store(dx_ptr + at, y * (dy - inner), tl::mask = inside);
                       });
}

} // namespace kernels

#endif
