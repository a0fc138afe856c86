// z = x + y, as kernels/vector_add.py has it.
#ifndef TILEWISE_KERNELS_VECTOR_ADD_HPP
#define TILEWISE_KERNELS_VECTOR_ADD_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel vectorAdd() {
  return tilewise::jit("vector_add", {"x_ptr", "y_ptr", "z_ptr", "n", "BLOCK"},
                       [](tl::value x_ptr, tl::value y_ptr, tl::value z_ptr, tl::value n, tl::constexpr_ BLOCK) {
                         auto first = tl::program_id(0) * BLOCK;
                         auto at = first + tl::arange(0, BLOCK);
                         auto inside = at < n;
                         auto x = tl::load(x_ptr + at, tl::mask = inside);
                         auto y = tl::load(y_ptr + at, tl::mask = inside);
                         tl::store(z_ptr + at, x + y, tl::mask = inside);
                       });
}

} // namespace kernels

#endif
