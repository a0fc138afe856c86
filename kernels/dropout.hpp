// x with a share p of its elements at 0, as kernels/dropout.py has it.
#ifndef TILEWISE_KERNELS_DROPOUT_HPP
#define TILEWISE_KERNELS_DROPOUT_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel dropout() {
  return tilewise::jit("dropout", {"x_ptr", "y_ptr", "n", "p", "seed", "BLOCK"},
                       [](tl::value x_ptr, tl::value y_ptr, tl::value n, tl::value p, tl::value seed,
                          tl::constexpr_ BLOCK) {
                         auto at = tl::program_id(0) * BLOCK + tl::arange(0, BLOCK);
                         auto inside = at < n;
                         auto x = tl::load(x_ptr + at, tl::mask = inside);
                         auto keep = tl::rand(seed, at) > p;
                         tl::store(y_ptr + at, tl::where(keep, x / (1.0 - p), 0.0), tl::mask = inside);
                       });
}

} // namespace kernels

#endif
