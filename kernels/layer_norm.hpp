// Layer normalisation, alone and fused with a linear layer, as kernels/layer_norm.py has them.
#ifndef TILEWISE_KERNELS_LAYER_NORM_HPP
#define TILEWISE_KERNELS_LAYER_NORM_HPP

#include <tilewise/jit.hpp>

namespace kernels {
namespace tl = tilewise::tl;

/// (x - mean) / sqrt(variance + eps) along the last axis; lanes outside the row count as 0.
inline tl::value normalise(const tl::value &x, const tl::value &inside, const tl::value &columns,
                           const tl::value &eps) {
  auto mean = tl::sum(x, tl::axis = 0) / columns;
  auto centred = tl::where(inside, x - mean, 0.0);
  auto variance = tl::sum(centred * centred, tl::axis = 0) / columns;
  return centred * (1.0 / tl::sqrt(variance + eps));
}

inline tilewise::Kernel layerNorm() {
  return tilewise::jit(
      "layer_norm", {"x_ptr", "y_ptr", "weight_ptr", "bias_ptr", "stride", "columns", "eps", "BLOCK"},
      [](tl::value x_ptr, tl::value y_ptr, tl::value weight_ptr, tl::value bias_ptr, tl::value stride,
         tl::value columns, tl::value eps, tl::constexpr_ BLOCK) {
        auto row = tl::program_id(0);
        auto column = tl::arange(0, BLOCK);
        auto inside = column < columns;
        auto x = tl::load(x_ptr + row * stride + column, tl::mask = inside, tl::other = 0.0).to(tl::float32);
        auto weight = tl::load(weight_ptr + column, tl::mask = inside, tl::other = 0.0).to(tl::float32);
        auto bias = tl::load(bias_ptr + column, tl::mask = inside, tl::other = 0.0).to(tl::float32);
        auto y = normalise(x, inside, columns, eps) * weight + bias;
        tl::store(y_ptr + row * stride + column, y, tl::mask = inside);
      });
}

/// y = layer_norm(x) @ linear + linear_bias for a tile of rows and outputs; linear is columns x
/// outputs.
inline tilewise::Kernel layerNormLinear() {
  return tilewise::jit(
      "layer_norm_linear",
      {"x_ptr", "y_ptr", "weight_ptr", "bias_ptr", "linear_ptr", "linear_bias_ptr", "rows", "columns", "outputs", "eps",
       "stride_x", "stride_y", "stride_linear", "BLOCK_M", "BLOCK_N", "BLOCK_K"},
      [](tl::value x_ptr, tl::value y_ptr, tl::value weight_ptr, tl::value bias_ptr, tl::value linear_ptr,
         tl::value linear_bias_ptr, tl::value rows, tl::value columns, tl::value outputs, tl::value eps,
         tl::value stride_x, tl::value stride_y, tl::value stride_linear, tl::constexpr_ BLOCK_M,
         tl::constexpr_ BLOCK_N, tl::constexpr_ BLOCK_K) {
        auto m = tl::program_id(0) * BLOCK_M + tl::arange(0, BLOCK_M);
        auto n = tl::program_id(1) * BLOCK_N + tl::arange(0, BLOCK_N);
        auto k = tl::arange(0, BLOCK_K);
        auto row_inside = m[{tl::all, tl::none}] < rows;

        auto total = tl::zeros({BLOCK_M}, tl::dtype_ = tl::float32);
        auto squares = tl::zeros({BLOCK_M}, tl::dtype_ = tl::float32);
        for (auto first : tl::range(0, columns, BLOCK_K)) {
          auto at = first + k;
          auto p = x_ptr + m[{tl::all, tl::none}] * stride_x + at[{tl::none, tl::all}];
          auto inside = row_inside & (at[{tl::none, tl::all}] < columns);
          auto x = tl::load(p, tl::mask = inside, tl::other = 0.0).to(tl::float32);
          total += tl::sum(x, tl::axis = 1);
          squares += tl::sum(x * x, tl::axis = 1);
        }
        auto mean = total / columns;
        auto scale = 1.0 / tl::sqrt(squares / columns - mean * mean + eps);

        auto acc = tl::zeros({BLOCK_M, BLOCK_N}, tl::dtype_ = tl::float32);
        for (auto first : tl::range(0, columns, BLOCK_K)) {
          auto at = first + k;
          auto inside = at < columns;
          auto p = x_ptr + m[{tl::all, tl::none}] * stride_x + at[{tl::none, tl::all}];
          auto x = tl::load(p, tl::mask = row_inside & inside[{tl::none, tl::all}], tl::other = 0.0);
          auto weight = tl::load(weight_ptr + at, tl::mask = inside, tl::other = 0.0).to(tl::float32);
          auto bias = tl::load(bias_ptr + at, tl::mask = inside, tl::other = 0.0).to(tl::float32);
          auto normal = (x.to(tl::float32) - mean[{tl::all, tl::none}]) * scale[{tl::all, tl::none}] *
                            weight[{tl::none, tl::all}] +
                        bias[{tl::none, tl::all}];
          normal = tl::where(inside[{tl::none, tl::all}], normal, 0.0);
          auto linear = tl::load(linear_ptr + at[{tl::all, tl::none}] * stride_linear + n[{tl::none, tl::all}],
                                 tl::mask = inside[{tl::all, tl::none}] & (n[{tl::none, tl::all}] < outputs),
                                 tl::other = 0.0);
          acc = tl::dot(normal, linear.to(tl::float32), acc, tl::input_precision = "ieee");
        }
        auto linear_bias = tl::load(linear_bias_ptr + n, tl::mask = n < outputs, tl::other = 0.0).to(tl::float32);
        acc += linear_bias[{tl::none, tl::all}];
        tl::store(y_ptr + m[{tl::all, tl::none}] * stride_y + n[{tl::none, tl::all}], acc,
                  tl::mask = row_inside & (n[{tl::none, tl::all}] < outputs));
      });
}

} // namespace kernels

#endif
