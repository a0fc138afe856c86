// z = x, as kernels/copy.py has it.
#ifndef TILEWISE_KERNELS_COPY_HPP
#define TILEWISE_KERNELS_COPY_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel copy() {
  return tilewise::jit("copy", {"x_ptr", "z_ptr", "n", "BLOCK"},
                       [](tl::value x_ptr, tl::value z_ptr, tl::value n, tl::constexpr_ BLOCK) {
                         auto at = tl::program_id(0) * BLOCK + tl::arange(0, BLOCK);
                         auto inside = at < n;
                         tl::store(z_ptr + at, tl::load(x_ptr + at, tl::mask = inside), tl::mask = inside);
                       });
}

} // namespace kernels

#endif
