// The kernel library as functions of C++: tilewise::ops::softmax(x) and its kin.
//
//     #include <tilewise/ops.hpp>
//
//     auto x = tilewise::Tensor::from(values, {rows, columns});
//     auto y = tilewise::ops::softmax(x);
//     auto z = tilewise::ops::linear(y, weight, &bias, "gelu");
//
// Each function runs where its tensors are, allocates its result, and throws LaunchError with its
// own name when shapes or types do not fit. The kernels' texts are inside the library: no file is
// read. Tensors may have any strides; those that a kernel cannot walk are copied first. Python has
// the same functions in tilewise.ops, with gradients.
#ifndef TILEWISE_OPS_HPP
#define TILEWISE_OPS_HPP

#include "ops_support.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewise {
inline namespace api { // See error.hpp.
namespace ops {

/// sqrt(a * b + c)
inline Tensor multiplyAddSqrt(const Tensor &a, const Tensor &b, const Tensor &c) {
  inner::Call call("multiplyAddSqrt", {{"a", &a}, {"b", &b}, {"c", &c}});
  call.wantSameShapes();
  const inner::RowMajor left(a), right(b), add(c);
  Tensor out = call.result(a.shape());
  call.launchFlat("multiply_add_sqrt.py", "multiply_add_sqrt", a, left.get(), right.get(), add.get(), out,
                  inner::count(a));
  return out;
}

/// relu, leaky_relu, gelu, gelu_tanh or silu; the slope is leaky relu's.
inline Tensor activation(const Tensor &x, const std::string &kind, double slope = 0.01) {
  using namespace literals;
  inner::Call call("activation", {{"x", &x}});
  call.wantOneOf("kind", kind, {"relu", "leaky_relu", "gelu", "gelu_tanh", "silu"});
  const inner::RowMajor in(x);
  Tensor y = call.result(x.shape());
  call.launchFlat("activations.py", "activation", x, in.get(), y, inner::count(x), slope,
                  "KIND"_a = tilewise::quoted(kind));
  return y;
}
inline Tensor relu(const Tensor &x) { return activation(x, "relu"); }
inline Tensor leakyRelu(const Tensor &x, double slope = 0.01) { return activation(x, "leaky_relu", slope); }
inline Tensor gelu(const Tensor &x) { return activation(x, "gelu"); }
inline Tensor silu(const Tensor &x) { return activation(x, "silu"); }

/// silu(gate) * up
inline Tensor swiglu(const Tensor &gate, const Tensor &up) {
  inner::Call call("swiglu", {{"gate", &gate}, {"up", &up}});
  call.wantSameShapes();
  const inner::RowMajor left(gate), right(up);
  Tensor out = call.result(gate.shape());
  call.launchFlat("swiglu.py", "swiglu", gate, left.get(), right.get(), out, inner::count(gate));
  return out;
}

/// Each element 0 with probability p, else x / (1 - p); the seed decides which.
inline Tensor dropout(const Tensor &x, double p, std::int64_t seed) {
  inner::Call call("dropout", {{"x", &x}});
  call.want(p >= 0 && p < 1, "p is the share that is dropped, from 0 to below 1; got " + std::to_string(p));
  const inner::RowMajor in(x);
  Tensor y = call.result(x.shape());
  call.launchFlat("dropout.py", "dropout", x, in.get(), y, inner::count(x), p, seed);
  return y;
}

/// 3 x height x width -> height x width, by luminosity.
inline Tensor greyscale(const Tensor &x) {
  inner::Call call("greyscale", {{"x", &x}});
  call.want(x.rank() == 3 && x.shape(0) == 3, "x must be 3 x height x width, got " + inner::text(x.shape()));
  const inner::RowMajor in(x);
  Tensor out = call.result({x.shape(1), x.shape(2)});
  call.launchPicture("greyscale.py", "greyscale", in.get(), out, x.shape(1), x.shape(2));
  return out;
}

/// 3 x height x width with values from 0 to 1 -> the same, in sepia.
inline Tensor sepia(const Tensor &x) {
  inner::Call call("sepia", {{"x", &x}});
  call.want(x.rank() == 3 && x.shape(0) == 3, "x must be 3 x height x width, got " + inner::text(x.shape()));
  const inner::RowMajor in(x);
  Tensor out = call.result(x.shape());
  call.launchPicture("sepia.py", "sepia", in.get(), out, x.shape(1), x.shape(2));
  return out;
}

/// A weighted sum around each pixel of each plane (the last two dimensions), of floats or bytes.
/// `border` is what lies outside: "zero" or "clamp". The anchor (row, column) is the weight that
/// falls on the pixel itself: the middle one without it.
inline Tensor filter2d(const Tensor &x, const Tensor &weights, const std::string &border = "zero",
                       const std::optional<std::array<std::int64_t, 2>> &anchor = std::nullopt) {
  using namespace literals;
  inner::Call call("filter2d", {{"x", &x}}, /*alsoBytes=*/true);
  call.want(x.rank() >= 2, "a picture has at least height and width, got " + inner::text(x.shape()));
  call.want(weights.rank() == 2 && inner::count(weights) > 0 && inner::count(weights) <= 1024,
            "weights are a matrix of at most 1024, got " + inner::text(weights.shape()));
  call.wantOneOf("border", border, {"zero", "clamp"});
  const std::array<std::int64_t, 2> own = anchor.value_or(std::array{weights.shape(0) / 2, weights.shape(1) / 2});
  call.want(own[0] >= 0 && own[0] < weights.shape(0) && own[1] >= 0 && own[1] < weights.shape(1),
            "the anchor " + inner::text({own[0], own[1]}) + " is none of the weights of " +
                inner::text(weights.shape()));
  const inner::RowMajor in(x), filter(weights);
  Tensor out = call.result(x.shape());
  const std::int64_t height = x.shape(x.rank() - 2), width = x.shape(x.rank() - 1);
  if (inner::count(x) > 0)
    inner::launchTuned(
        "filter2d", x, {inner::count(x) / width, width, inner::count(weights)},
        [&](const Config &config, const auto &go) {
          const std::int64_t rows = config["BLOCK_H"], columns = config["BLOCK_W"];
          go(inner::kernel("filter2d.py",
                           "filter2d")[{inner::count(x) / (height * width), cdiv(height, rows), cdiv(width, columns)}],
             in.get(), out, filter.get(), height, width, "SIZE_Y"_a = weights.shape(0), "SIZE_X"_a = weights.shape(1),
             "ANCHOR_Y"_a = own[0], "ANCHOR_X"_a = own[1], "BORDER"_a = tilewise::quoted(border), "BLOCK_H"_a = rows,
             "BLOCK_W"_a = columns);
        });
  return out;
}

/// Softmax along the last dimension, of any length.
inline Tensor softmax(const Tensor &x) {
  using namespace literals;
  inner::Call call("softmax", {{"x", &x}});
  const inner::Rows rows(call, x);
  Tensor y = call.result(x.shape());
  if (rows.columns > 16384 || x.dtype() == DType::Float64)
    inner::launchRows("online_softmax.py", "online_softmax", rows, y, rows.get(), rows.columns, rows.columns,
                      rows.columns);
  else if (rows.count > 0)
    inner::launchTuned("softmax", x, {rows.count, rows.columns}, [&](const Config &, const auto &go) {
      go(inner::kernel("softmax.py", "softmax")[rows.count], y, rows.get(), rows.columns, rows.columns, rows.columns,
         "BLOCK"_a = nextPowerOf2(rows.columns));
    });
  return y;
}
/// Its gradient, from its result.
inline Tensor softmaxBackward(const Tensor &y, const Tensor &dy) {
  using namespace literals;
  inner::Call call("softmaxBackward", {{"y", &y}, {"dy", &dy}});
  call.wantSameShapes();
  const inner::Rows rows(call, y), gradient(call, dy);
  Tensor dx = call.result(y.shape());
  inner::launchRows("online_softmax.py", "online_softmax_backward", rows, dx, rows.get(), gradient.get(), rows.columns,
                    rows.columns, rows.columns, rows.columns);
  return dx;
}

/// (x - mean) / sqrt(variance + eps) * weight + bias along the last dimension.
inline Tensor layerNorm(const Tensor &x, const Tensor &weight, const Tensor &bias, double eps = 1e-5) {
  using namespace literals;
  inner::Call call("layerNorm", {{"x", &x}});
  const inner::Rows rows(call, x);
  call.wantVector("weight", weight, rows.columns);
  call.wantVector("bias", bias, rows.columns);
  const inner::RowMajor scale(weight), shift(bias);
  Tensor y = call.result(x.shape()), mean = call.wideResult({rows.count}), rstd = call.wideResult({rows.count});
  inner::launchRows("layer_norm_training.py", "layer_norm_forward", rows, rows.get(), y, scale.get(), shift.get(), mean,
                    rstd, rows.columns, rows.columns, rows.columns, eps);
  return y;
}

/// x / sqrt(mean(x^2) + eps) * weight along the last dimension.
inline Tensor rmsNorm(const Tensor &x, const Tensor &weight, double eps = 1e-6) {
  using namespace literals;
  inner::Call call("rmsNorm", {{"x", &x}});
  const inner::Rows rows(call, x);
  call.wantVector("weight", weight, rows.columns);
  const inner::RowMajor scale(weight);
  Tensor y = call.result(x.shape()), rstd = call.wideResult({rows.count});
  inner::launchRows("rms_norm.py", "rms_norm_forward", rows, rows.get(), y, scale.get(), rstd, rows.columns,
                    rows.columns, rows.columns, eps);
  return y;
}

/// -log(softmax(logits)[target]) of each row; rows whose target is `ignored` count as 0.
inline Tensor crossEntropy(const Tensor &logits, const Tensor &target, std::int64_t ignored = -100,
                           double smoothing = 0) {
  using namespace literals;
  inner::Call call("crossEntropy", {{"logits", &logits}});
  call.want(logits.rank() == 2 && logits.shape(1) > 0,
            "logits must be rows x classes, got " + inner::text(logits.shape()));
  const inner::Rows rows(call, logits);
  call.wantVector("target", target, rows.count);
  call.want(target.dtype() == DType::Int32 || target.dtype() == DType::Int64,
            "'target' holds class numbers in i32 or i64, not " + name(target.dtype()));
  const inner::RowMajor classes(target);
  Tensor loss = call.wideResult({rows.count}), lse = call.wideResult({rows.count});
  inner::launchRows("cross_entropy.py", "cross_entropy", rows, rows.get(), classes.get(), loss, lse, rows.columns,
                    rows.columns, ignored, smoothing);
  return loss;
}

/// Rotary position embedding of batch x tokens x heads x size; cos and sin are tokens x (size / 2).
inline Tensor rotary(const Tensor &x, const Tensor &cos, const Tensor &sin, bool interleaved = false) {
  using namespace literals;
  inner::Call call("rotary", {{"x", &x}});
  call.want(x.rank() == 4 && x.shape(3) % 2 == 0,
            "x must be batch x tokens x heads x size with an even size, got " + inner::text(x.shape()));
  const std::int64_t tokens = x.shape(1), heads = x.shape(2), half = x.shape(3) / 2;
  for (const Tensor *table : {&cos, &sin})
    call.want(table->shape() == Shape{tokens, half},
              "cos and sin must have shape " + inner::text({tokens, half}) + ", got " + inner::text(table->shape()));
  const inner::RowMajor in(x), c(cos), s(sin);
  Tensor out = call.result(x.shape());
  if (inner::count(x) > 0)
    inner::launchTuned("rotary", x, {x.shape(0) * tokens, heads, half}, [&](const Config &config, const auto &go) {
      go(inner::kernel("rotary.py", "rotary")[x.shape(0) * tokens], in.get(), out, c.get(), s.get(), tokens, heads,
         half, out.stride(0), out.stride(1), out.stride(2), out.stride(0), out.stride(1), out.stride(2),
         "INTERLEAVED"_a = interleaved, "BACKWARD"_a = false,
         "BLOCK_HEADS"_a = std::min<std::int64_t>(config["BLOCK_HEADS"], nextPowerOf2(heads)),
         "BLOCK_HALF"_a = nextPowerOf2(half));
    });
  return out;
}

/// activation(x @ weight^T + bias): weight is outputs x inputs, bias may be null; activation is
/// none, relu, leaky_relu, gelu or silu.
inline Tensor linear(const Tensor &x, const Tensor &weight, const Tensor *bias = nullptr,
                     const std::string &activation = "none") {
  inner::Call call("linear", {{"x", &x}, {"weight", &weight}});
  call.wantOneOf("activation", activation, {"none", "relu", "leaky_relu", "gelu", "silu"});
  const inner::Rows rows(call, x);
  call.want(weight.rank() == 2 && weight.shape(1) == rows.columns,
            "x must end in the inputs of weight (outputs x inputs), got " + inner::text(x.shape()) + " and " +
                inner::text(weight.shape()));
  if (bias)
    call.wantVector("bias", *bias, weight.shape(0));
  Shape shape = x.shape();
  shape.back() = weight.shape(0);
  Tensor out = call.result(shape);
  inner::product(rows.get(), {rows.columns, 1}, weight, {weight.stride(1), weight.stride(0)}, bias, out,
                 {rows.count, weight.shape(0), rows.columns}, activation);
  return out;
}

/// a @ b of two matrices of any strides, or of batches of them, where a batch of 1 serves all.
inline Tensor matmul(const Tensor &a, const Tensor &b) {
  using namespace literals;
  inner::Call call("matmul", {{"a", &a}, {"b", &b}});
  if (a.rank() == 3 && b.rank() == 3) {
    call.want(a.shape(2) == b.shape(1) && (a.shape(0) == b.shape(0) || a.shape(0) == 1 || b.shape(0) == 1),
              "batches of M x K and K x N must fit, got " + inner::text(a.shape()) + " and " + inner::text(b.shape()));
    const std::int64_t batch = a.shape(0) == 1 ? b.shape(0) : a.shape(0);
    Tensor c = call.result({batch, a.shape(1), b.shape(2)});
    const std::array<std::int64_t, 3> mnk = {c.shape(1), c.shape(2), a.shape(2)};
    if (inner::count(c) > 0)
      inner::launchTuned(
          "matmul_batched", a, {mnk[0], mnk[1], mnk[2], batch}, [&](const Config &config, const auto &go) {
            const inner::Blocks block(config, mnk);
            go(inner::kernel("matmul_batched.py",
                             "matmul_batched")[{cdiv(mnk[0], block.m), cdiv(mnk[1], block.n), batch}],
               a, b, c, mnk[0], mnk[1], mnk[2], a.shape(0) == 1 ? 0 : a.stride(0), a.stride(1), a.stride(2),
               b.shape(0) == 1 ? 0 : b.stride(0), b.stride(1), b.stride(2), c.stride(0), c.stride(1), c.stride(2),
               "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
          });
    return c;
  }
  call.want(a.rank() == 2 && b.rank() == 2 && a.shape(1) == b.shape(0),
            "a must be M x K and b K x N, got " + inner::text(a.shape()) + " and " + inner::text(b.shape()));
  Tensor c = call.result({a.shape(0), b.shape(1)});
  inner::product(a, {a.stride(0), a.stride(1)}, b, {b.stride(0), b.stride(1)}, nullptr, c,
                 {a.shape(0), b.shape(1), a.shape(1)}, "none");
  return c;
}

/// Rows start[g] to start[g + 1] of a (rows x K) times b[g] (groups x K x N). `start` has one
/// number more than there are groups, i32 or i64.
inline Tensor matmulGrouped(const Tensor &a, const Tensor &b, const Tensor &start) {
  using namespace literals;
  inner::Call call("matmulGrouped", {{"a", &a}, {"b", &b}});
  call.want(a.rank() == 2 && b.rank() == 3 && a.shape(1) == b.shape(1),
            "a must be rows x K and b groups x K x N, got " + inner::text(a.shape()) + " and " +
                inner::text(b.shape()));
  const std::int64_t groups = b.shape(0), rows = a.shape(0);
  call.want(start.dtype() == DType::Int32 || start.dtype() == DType::Int64,
            "'start' holds row numbers in i32 or i64, got " + name(start.dtype()));
  call.wantVector("start", start, groups + 1);
  const inner::RowMajor first(start);
  Tensor c = call.result({rows, b.shape(2)});
  if (inner::count(c) > 0 && groups > 0)
    inner::launchTuned("matmul_grouped", a, {rows, b.shape(2), a.shape(1), groups},
                       [&](const Config &config, const auto &go) {
                         const inner::Blocks block(config, {cdiv(rows, groups), b.shape(2), a.shape(1)});
                         // Each group can have one tile that is not full.
                         go(inner::kernel("matmul_grouped.py",
                                          "matmul_grouped")[{cdiv(rows, block.m) + groups, cdiv(b.shape(2), block.n)}],
                            a, b, c, first.get(), groups, b.shape(2), a.shape(1), a.stride(0), a.stride(1), b.stride(0),
                            b.stride(1), b.stride(2), c.stride(0), c.stride(1), "BLOCK_M"_a = block.m,
                            "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
                       });
  return c;
}

/// a @ b with K cut into up to `splits` parts, which are added by a second kernel: for a long K and
/// a small result.
inline Tensor matmulSplitK(const Tensor &a, const Tensor &b, std::int64_t splits) {
  using namespace literals;
  inner::Call call("matmulSplitK", {{"a", &a}, {"b", &b}});
  call.want(a.rank() == 2 && b.rank() == 2 && a.shape(1) == b.shape(0),
            "a must be M x K and b K x N, got " + inner::text(a.shape()) + " and " + inner::text(b.shape()));
  call.want(splits >= 1, "splits must be at least 1, got " + std::to_string(splits));
  Tensor c = call.result({a.shape(0), b.shape(1)});
  const std::int64_t m = c.shape(0), n = c.shape(1), k = a.shape(1), least = std::max<std::int64_t>(k, 1);
  // Whole blocks of most configs, and the same parts with each of them.
  const std::int64_t piece = cdiv(cdiv(least, splits), 128) * 128, parts = cdiv(least, piece);
  if (inner::count(c) == 0)
    return c;
  Tensor sums = call.wideResult({parts, m, n});
  inner::launchTuned("matmul_split_k", a, {m, n, k, parts}, [&](const Config &config, const auto &go) {
    const inner::Blocks block(config, {m, n, k});
    go(inner::kernel("matmul_split_k.py", "matmul_split_k")[{cdiv(m, block.m), cdiv(n, block.n), parts}], a, b, sums, m,
       n, k, piece, a.stride(0), a.stride(1), b.stride(0), b.stride(1), "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n,
       "BLOCK_K"_a = block.k);
  });
  inner::kernel("matmul_split_k.py", "add_parts")[cdiv(m * n, 1024)](sums, c, m * n, parts, "BLOCK"_a = 1024);
  return c;
}

/// a @ ((nibbles of packed - zero) * scale) with weights of 4 bits: packed is (K / 2) x N bytes
/// (kernels/matmul_int4.py says how), scale and zero have a row for each `group` weights of K.
inline Tensor matmulInt4(const Tensor &a, const Tensor &packed, const Tensor &scale, const Tensor &zero,
                         std::int64_t group) {
  using namespace literals;
  inner::Call call("matmulInt4", {{"a", &a}});
  call.want(packed.dtype() == DType::UInt8, "packed must be u8, got " + name(packed.dtype()));
  call.want(a.dtype() != DType::Float64, "'a' is fp64; fp16, bf16 or fp32 is needed");
  call.want(a.rank() == 2 && packed.rank() == 2 && a.shape(1) == 2 * packed.shape(0),
            "a must be M x K and packed (K / 2) x N, got " + inner::text(a.shape()) + " and " +
                inner::text(packed.shape()));
  call.want(group >= 32 && (group & (group - 1)) == 0,
            "group must be a power of two from 32 on, got " + std::to_string(group));
  const std::int64_t m = a.shape(0), n = packed.shape(1), k = a.shape(1);
  const Shape expected = {cdiv(k, group), n};
  for (const Tensor *each : {&scale, &zero})
    call.want(each->shape() == expected, std::string("'") + (each == &scale ? "scale" : "zero") + "' must have shape " +
                                             inner::text(expected) + ", got " + inner::text(each->shape()));
  const inner::RowMajor bytes(packed), scales(scale), zeros(zero);
  Tensor c = call.result({m, n});
  if (inner::count(c) > 0)
    inner::launchTuned("matmul_int4", a, {m, n, k}, [&](const Config &config, const auto &go) {
      const std::int64_t blockM = inner::side(m, config["BLOCK_M"]), blockN = inner::side(n, config["BLOCK_N"]);
      go(inner::kernel("matmul_int4.py", "matmul_int4")[{cdiv(m, blockM), cdiv(n, blockN)}], a, bytes.get(),
         scales.get(), zeros.get(), c, m, n, k, a.stride(0), a.stride(1), n, n, n, "GROUP"_a = group,
         "BLOCK_M"_a = blockM, "BLOCK_N"_a = blockN,
         "BLOCK_BYTES"_a = std::min<std::int64_t>(group / 2, config["BLOCK_BYTES"]));
    });
  return c;
}

/// a @ (b * scale) with int8 weights b (K x N) and a scale per column. With aScale, a scale per
/// row, a is int8 as well, its products are summed in int32, and the result is fp32.
inline Tensor matmulInt8(const Tensor &a, const Tensor &b, const Tensor &scale, const Tensor *aScale = nullptr) {
  using namespace literals;
  const auto call = inner::Call::ofAnyType("matmulInt8", {{"a", &a}, {"b", &b}});
  call.want(b.dtype() == DType::Int8, "b must be i8, got " + name(b.dtype()));
  if (aScale)
    call.want(a.dtype() == DType::Int8, "with an aScale, a must be i8, got " + name(a.dtype()));
  else
    call.want(a.dtype() == DType::Float16 || a.dtype() == DType::BFloat16 || a.dtype() == DType::Float32,
              "'a' is " + name(a.dtype()) + "; fp16, bf16 or fp32 is needed without an aScale");
  call.want(a.rank() == 2 && b.rank() == 2 && a.shape(1) == b.shape(0),
            "a must be M x K and b K x N, got " + inner::text(a.shape()) + " and " + inner::text(b.shape()));
  call.wantVector("scale", scale, b.shape(1));
  const std::int64_t m = a.shape(0), n = b.shape(1), k = a.shape(1);
  const inner::RowMajor scales(scale);
  Tensor c(aScale ? DType::Float32 : a.dtype(), {m, n}, a.device());
  if (aScale)
    call.wantVector("aScale", *aScale, m);
  if (inner::count(c) == 0)
    return c;
  if (aScale) {
    const inner::RowMajor rowScales(*aScale);
    inner::launchTuned("matmul_int8", a, {m, n, k}, [&](const Config &config, const auto &go) {
      const inner::Blocks block(config, {m, n, k});
      go(inner::kernel("matmul_int8.py", "matmul_int8")[{cdiv(m, block.m), cdiv(n, block.n)}], a, b, rowScales.get(),
         scales.get(), c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
         "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n, "BLOCK_K"_a = std::max<std::int64_t>(32, block.k));
    });
  } else {
    inner::launchTuned("matmul_int8_weights", a, {m, n, k}, [&](const Config &config, const auto &go) {
      const inner::Blocks block(config, {m, n, k});
      go(inner::kernel("matmul_int8.py", "matmul_int8_weights")[{cdiv(m, block.m), cdiv(n, block.n)}], a, b,
         scales.get(), c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
         "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
    });
  }
  return c;
}

/// dropout(activation(layer_norm(x) @ weight^T + bias)) in one kernel; activation none or gelu.
inline Tensor normLinear(const Tensor &x, const Tensor &normWeight, const Tensor &normBias, const Tensor &weight,
                         const Tensor &bias, const std::string &activation = "none", double p = 0,
                         std::int64_t seed = 0, double eps = 1e-5) {
  using namespace literals;
  inner::Call call("normLinear", {{"x", &x}, {"weight", &weight}});
  const inner::Rows rows(call, x);
  call.want(weight.rank() == 2 && weight.shape(1) == rows.columns,
            "x must end in the inputs of weight (outputs x inputs), got " + inner::text(x.shape()) + " and " +
                inner::text(weight.shape()));
  call.wantOneOf("activation", activation, {"none", "gelu"});
  call.want(p >= 0 && p < 1, "p is the share that is dropped, from 0 to below 1; got " + std::to_string(p));
  const std::int64_t outputs = weight.shape(0);
  call.wantVector("normWeight", normWeight, rows.columns);
  call.wantVector("normBias", normBias, rows.columns);
  call.wantVector("bias", bias, outputs);
  const inner::RowMajor scale(normWeight), shift(normBias), add(bias);
  Shape shape = x.shape();
  shape.back() = outputs;
  Tensor y = call.result(shape);
  const std::array<std::int64_t, 3> mnk = {rows.count, outputs, rows.columns};
  if (inner::count(y) > 0)
    inner::launchTuned("norm_linear_gelu_dropout", x, {mnk[0], mnk[1], mnk[2]},
                       [&](const Config &config, const auto &go) {
                         const inner::Blocks block(config, mnk);
                         go(inner::kernel("norm_linear_gelu_dropout.py",
                                          "norm_linear_gelu_dropout")[{cdiv(mnk[0], block.m), cdiv(mnk[1], block.n)}],
                            rows.get(), y, scale.get(), shift.get(), weight, add.get(), rows.count, rows.columns,
                            outputs, eps, p, seed, rows.columns, outputs, weight.stride(1), weight.stride(0),
                            "ACTIVATION"_a = tilewise::quoted(activation), "HAS_DROPOUT"_a = p > 0,
                            "BLOCK_M"_a = block.m, "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
                       });
  return y;
}

/// softmax(q @ k^T * scale) @ v for batch x heads x tokens x size; k and v may have fewer heads.
/// Causal: query i sees keys 0 to i. A scale of 0 means 1 / sqrt(size).
inline Tensor attention(const Tensor &q, const Tensor &k, const Tensor &v, bool causal = false, double scale = 0) {
  using namespace literals;
  inner::Call call("attention", {{"q", &q}, {"k", &k}, {"v", &v}});
  call.want(q.rank() == 4 && k.rank() == 4 && k.shape() == v.shape() && q.shape(0) == k.shape(0) &&
                q.shape(3) == k.shape(3),
            "q, k and v must be batch x heads x tokens x size, k and v alike; got " + inner::text(q.shape()) + ", " +
                inner::text(k.shape()) + " and " + inner::text(v.shape()));
  const std::int64_t heads = q.shape(1), shared = k.shape(1), queries = q.shape(2), keys = k.shape(2),
                     size = q.shape(3);
  call.want(shared > 0 && heads % shared == 0, "the heads of q (" + std::to_string(heads) +
                                                   ") must be a multiple of those of k and v (" +
                                                   std::to_string(shared) + ")");
  call.want(size >= 1 && size <= 256, "a head has 1 to 256 elements, got " + std::to_string(size));
  call.want(keys > 0, "there are no keys");
  const inner::RowMajor left(q), right(k), values(v);
  Tensor out = call.result(q.shape()), lse = call.wideResult({q.shape(0), heads, queries});
  const std::int64_t keyHead = keys * size, queryHead = queries * size;
  const char *const names[] = {"flash_attention", "flash_attention/causal", "flash_attention/wide",
                               "flash_attention/causal, wide"};
  if (inner::count(out) > 0)
    inner::launchTuned(
        names[causal + 2 * (size > 128)], q, {q.shape(0) * heads, queries, keys, size},
        [&](const Config &config, const auto &go) {
          const std::int64_t blockM = inner::side(queries, config["BLOCK_M"]),
                             blockN = inner::side(keys, config["BLOCK_N"]);
          go(inner::kernel("flash_attention.py", "flash_attention")[{cdiv(queries, blockM), q.shape(0) * heads}],
             left.get(), right.get(), values.get(), out, lse, heads, heads / shared, queries, keys,
             scale == 0 ? 1 / std::sqrt(double(size)) : scale, heads * queryHead, queryHead, size, shared * keyHead,
             keyHead, size, shared * keyHead, keyHead, size, heads * queryHead, queryHead, size, "HEAD"_a = size,
             "BLOCK_D"_a = inner::side(size, 256), "CAUSAL"_a = causal, "BLOCK_M"_a = blockM, "BLOCK_N"_a = blockN);
        });
  return out;
}

} // namespace ops
} // namespace api
} // namespace tilewise

#endif
