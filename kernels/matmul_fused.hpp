// C = activation(A @ B) in tiles that share the cache, as kernels/matmul_fused.py has it.
#ifndef TILEWISE_KERNELS_MATMUL_FUSED_HPP
#define TILEWISE_KERNELS_MATMUL_FUSED_HPP

#include <tilewise/jit.hpp>

#include <utility>

namespace kernels {
namespace tl = tilewise::tl;

inline tl::value relu(const tl::value &x) { return tl::maximum(x, 0.0); }

inline tl::value leakyRelu(const tl::value &x) { return tl::where(x >= 0, x, 0.01 * x); }

/// Tile number -> (row, column): GROUP rows of tiles are walked column by column before the next
/// rows.
inline std::pair<tl::value, tl::value> groupedTile(const tl::value &tile, const tl::value &tiles_m,
                                                   const tl::value &tiles_n, const tl::value &GROUP) {
  auto per_group = GROUP * tiles_n;
  auto first_row = tl::floordiv(tile, per_group) * GROUP;
  auto rows = tl::minimum(tiles_m - first_row, GROUP);
  return {first_row + tile % per_group % rows, tl::floordiv(tile % per_group, rows)};
}

inline tilewise::Kernel matmulFused() {
  return tilewise::jit(
      "matmul_fused",
      {"a_ptr", "b_ptr", "c_ptr", "M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm",
       "stride_cn", "BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP", "ACTIVATION"},
      [](tl::value a_ptr, tl::value b_ptr, tl::value c_ptr, tl::value M, tl::value N, tl::value K, tl::value stride_am,
         tl::value stride_ak, tl::value stride_bk, tl::value stride_bn, tl::value stride_cm, tl::value stride_cn,
         tl::constexpr_ BLOCK_M, tl::constexpr_ BLOCK_N, tl::constexpr_ BLOCK_K, tl::constexpr_ GROUP,
         tl::constexpr_ ACTIVATION) {
        auto [row, column] = groupedTile(tl::program_id(0), tl::cdiv(M, BLOCK_M), tl::cdiv(N, BLOCK_N), GROUP);
        auto m = row * BLOCK_M + tl::arange(0, BLOCK_M);
        auto n = column * BLOCK_N + tl::arange(0, BLOCK_N);
        auto k = tl::arange(0, BLOCK_K);
        // Rows and columns past the end wrap around: what they compute is never stored.
        auto a_ptrs = a_ptr + (m % M)[{tl::all, tl::none}] * stride_am + k[{tl::none, tl::all}] * stride_ak;
        auto b_ptrs = b_ptr + k[{tl::all, tl::none}] * stride_bk + (n % N)[{tl::none, tl::all}] * stride_bn;
        auto acc = tl::zeros({BLOCK_M, BLOCK_N}, tl::dtype_ = tl::float32);
        for (auto step : tl::range(0, tl::cdiv(K, BLOCK_K))) {
          auto a = tl::load(a_ptrs, tl::mask = k[{tl::none, tl::all}] < K - step * BLOCK_K, tl::other = 0.0);
          auto b = tl::load(b_ptrs, tl::mask = k[{tl::all, tl::none}] < K - step * BLOCK_K, tl::other = 0.0);
          acc = tl::dot(a, b, acc, tl::input_precision = "ieee");
          a_ptrs += BLOCK_K * stride_ak;
          b_ptrs += BLOCK_K * stride_bk;
        }
        tl::if_(
            ACTIVATION == "relu", [&] { acc = relu(acc); },
            [&] { tl::if_(ACTIVATION == "leaky_relu", [&] { acc = leakyRelu(acc); }); });
        auto c_ptrs = c_ptr + m[{tl::all, tl::none}] * stride_cm + n[{tl::none, tl::all}] * stride_cn;
        tl::store(c_ptrs, acc.to(c_ptr.element_type()),
                  tl::mask = (m[{tl::all, tl::none}] < M) & (n[{tl::none, tl::all}] < N));
      });
}

} // namespace kernels

#endif
