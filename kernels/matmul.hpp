// C = A @ B in tiles, as kernels/matmul.py has it.
#ifndef TILEWISE_KERNELS_MATMUL_HPP
#define TILEWISE_KERNELS_MATMUL_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

inline tilewise::Kernel matmul() {
  return tilewise::jit(
      "matmul",
      {"a_ptr", "b_ptr", "c_ptr", "M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm",
       "stride_cn", "BLOCK_M", "BLOCK_N", "BLOCK_K"},
      [](tl::value a_ptr, tl::value b_ptr, tl::value c_ptr, tl::value M, tl::value N, tl::value K, tl::value stride_am,
         tl::value stride_ak, tl::value stride_bk, tl::value stride_bn, tl::value stride_cm, tl::value stride_cn,
         tl::constexpr_ BLOCK_M, tl::constexpr_ BLOCK_N, tl::constexpr_ BLOCK_K) {
        auto m = tl::program_id(0) * BLOCK_M + tl::arange(0, BLOCK_M);
        auto n = tl::program_id(1) * BLOCK_N + tl::arange(0, BLOCK_N);
        auto k = tl::arange(0, BLOCK_K);
        auto a_ptrs = a_ptr + m[{tl::all, tl::none}] * stride_am + k[{tl::none, tl::all}] * stride_ak;
        auto b_ptrs = b_ptr + k[{tl::all, tl::none}] * stride_bk + n[{tl::none, tl::all}] * stride_bn;
        auto type = tl::choose(a_ptr.element_type() == tl::int8, tl::int32, tl::float32);
        auto acc = tl::zeros({BLOCK_M, BLOCK_N}, tl::dtype_ = type);
        for (auto done : tl::range(0, K, BLOCK_K)) {
          auto a = tl::load(a_ptrs, tl::mask = (m[{tl::all, tl::none}] < M) & (k[{tl::none, tl::all}] < K - done),
                            tl::other = 0.0);
          auto b = tl::load(b_ptrs, tl::mask = (k[{tl::all, tl::none}] < K - done) & (n[{tl::none, tl::all}] < N),
                            tl::other = 0.0);
          acc = tl::dot(a, b, acc, tl::input_precision = "ieee");
          a_ptrs += BLOCK_K * stride_ak;
          b_ptrs += BLOCK_K * stride_bk;
        }
        auto c_ptrs = c_ptr + m[{tl::all, tl::none}] * stride_cm + n[{tl::none, tl::all}] * stride_cn;
        tl::store(c_ptrs, acc.to(c_ptr.element_type()),
                  tl::mask = (m[{tl::all, tl::none}] < M) & (n[{tl::none, tl::all}] < N));
      });
}

} // namespace kernels

#endif
