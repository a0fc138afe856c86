// The forgotten program id of kernels/buggy_add.py, for the checked mode to find.
#ifndef TILEWISE_KERNELS_BUGGY_ADD_HPP
#define TILEWISE_KERNELS_BUGGY_ADD_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel buggyAdd() {
  return tilewise::jit("buggy_add", {"x_ptr", "y_ptr", "z_ptr", "n", "BLOCK"},
                       [](tl::value x_ptr, tl::value y_ptr, tl::value z_ptr, tl::value n, tl::constexpr_ BLOCK) {
                         // Forgotten: pid * BLOCK +
                         [[maybe_unused]] auto pid = tl::program_id(0);
                         auto at = tl::arange(0, BLOCK);
                         auto inside = at < n;
                         auto x = tl::load(x_ptr + at, tl::mask = inside, tl::other = 0.0);
                         auto y = tl::load(y_ptr + at, tl::mask = inside, tl::other = 0.0);
                         tl::store(z_ptr + at, x + y, tl::mask = inside);
                       });
}

} // namespace kernels

#endif
