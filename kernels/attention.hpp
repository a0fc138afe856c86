// Attention with an online softmax, as kernels/attention.py has it.
#ifndef TILEWISE_KERNELS_ATTENTION_HPP
#define TILEWISE_KERNELS_ATTENTION_HPP

#include <tilewise/jit.hpp>

#include <cmath>

namespace kernels {
namespace tl = tilewise::tl;

/// One head's tile of BLOCK_M queries; q, k, v and out are heads x tokens x HEAD with the given
/// strides.
inline tilewise::Kernel attention() {
  return tilewise::jit(
      "attention",
      {"q_ptr", "k_ptr", "v_ptr", "out_ptr", "queries", "keys", "scale", "stride_head", "stride_token", "HEAD",
       "BLOCK_M", "BLOCK_N", "CAUSAL"},
      [](tl::value q_ptr, tl::value k_ptr, tl::value v_ptr, tl::value out_ptr, tl::value queries, tl::value keys,
         tl::value scale, tl::value stride_head, tl::value stride_token, tl::constexpr_ HEAD, tl::constexpr_ BLOCK_M,
         tl::constexpr_ BLOCK_N, tl::constexpr_ CAUSAL) {
        auto head = tl::program_id(1) * stride_head;
        auto m = tl::program_id(0) * BLOCK_M + tl::arange(0, BLOCK_M);
        auto d = tl::arange(0, HEAD);
        auto q = tl::load(q_ptr + head + m[{tl::all, tl::none}] * stride_token + d[{tl::none, tl::all}],
                          tl::mask = m[{tl::all, tl::none}] < queries, tl::other = 0.0);

        auto highest = tl::full({BLOCK_M}, -INFINITY, tl::dtype_ = tl::float32);
        auto total = tl::zeros({BLOCK_M}, tl::dtype_ = tl::float32);
        auto acc = tl::zeros({BLOCK_M, HEAD}, tl::dtype_ = tl::float32);
        auto end = keys;
        tl::if_(CAUSAL, [&] { end = tl::minimum(keys, (tl::program_id(0) + 1) * BLOCK_M); });
        for (auto first : tl::range(0, end, BLOCK_N)) {
          auto n = first + tl::arange(0, BLOCK_N);
          auto inside = n < keys;
          auto k = tl::load(k_ptr + head + n[{tl::none, tl::all}] * stride_token + d[{tl::all, tl::none}],
                            tl::mask = inside[{tl::none, tl::all}], tl::other = 0.0);
          auto v = tl::load(v_ptr + head + n[{tl::all, tl::none}] * stride_token + d[{tl::none, tl::all}],
                            tl::mask = inside[{tl::all, tl::none}], tl::other = 0.0);
          auto scores = tl::dot(q, k, tl::input_precision = "ieee") * scale;
          auto seen = inside[{tl::none, tl::all}];
          tl::if_(CAUSAL, [&] { seen = seen & (n[{tl::none, tl::all}] <= m[{tl::all, tl::none}]); });
          scores = tl::where(seen, scores, -INFINITY);
          auto now = tl::maximum(highest, tl::max(scores, tl::axis = 1));
          auto weights = tl::exp(scores - now[{tl::all, tl::none}]);
          auto correction = tl::exp(highest - now);
          total = total * correction + tl::sum(weights, tl::axis = 1);
          acc = tl::dot(weights.to(v.dtype()), v, acc * correction[{tl::all, tl::none}],
                        tl::input_precision = "ieee");
          highest = now;
        }
        tl::store(out_ptr + head + m[{tl::all, tl::none}] * stride_token + d[{tl::none, tl::all}],
                  acc / total[{tl::all, tl::none}], tl::mask = m[{tl::all, tl::none}] < queries);
      });
}

} // namespace kernels

#endif
