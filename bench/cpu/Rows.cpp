// Softmax and layer norm of rows against memcpy, oneDNN, and the same maths in separate passes.
#include "KernelFile.hpp"
#include "Works.h"

#include <dnnl.hpp>

#include <cmath>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {
namespace {

/// Row by row passes over the whole matrix, as a library of single operations runs them, each over
/// all threads.
void softmaxInPasses(const float *x, float *y, float *perRow, size_t rows, size_t columns) {
  auto pass = [&](auto body) {
    team().split(rows, 1, [&](size_t first, size_t last) {
      for (size_t row = first; row < last; ++row)
        body(row, x + row * columns, y + row * columns);
    });
  };
  pass([&](size_t row, const float *in, float *) {
    float top = -INFINITY;
    for (size_t i = 0; i < columns; ++i)
      top = in[i] > top ? in[i] : top;
    perRow[row] = top;
  });
  pass([&](size_t row, const float *in, float *out) {
    for (size_t i = 0; i < columns; ++i)
      out[i] = in[i] - perRow[row];
  });
  pass([&](size_t, const float *, float *out) {
    for (size_t i = 0; i < columns; ++i)
      out[i] = std::exp(out[i]);
  });
  pass([&](size_t row, const float *, float *out) {
    float sum = 0;
    for (size_t i = 0; i < columns; ++i)
      sum += out[i];
    perRow[row] = sum;
  });
  pass([&](size_t row, const float *, float *out) {
    for (size_t i = 0; i < columns; ++i)
      out[i] /= perRow[row];
  });
}

void softmax(const Options &options, int64_t rows, int64_t columns) {
  Contest contest(options, "softmax " + std::to_string(rows) + "x" + std::to_string(columns) + " fp32");
  if (!contest.isWanted())
    return;
  const std::vector<float> data = noise(size_t(rows * columns));
  auto x = Tensor::from(data, {rows, columns}), y = Tensor::like(x);
  auto kernel = Kernel::load(kernelFile("softmax.py"));
  const int64_t block = tilewise::nextPowerOf2(columns);
  const double bytes = 2.0 * double(rows * columns) * 4;
  auto ours = [&] { kernel[rows](y, x, columns, columns, columns, "BLOCK"_a = block); };
  contest.unit(bytes / 1e9, "GB/s");
  contest.add("ours", ours);

  using namespace dnnl;
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  std::vector<float> peer(data.size()), passes(data.size()), perRow(static_cast<size_t>(rows));
  memory::desc layout({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
  memory in(layout, cpu, const_cast<float *>(data.data())), out(layout, cpu, peer.data());
  softmax_forward run({{prop_kind::forward_inference, layout, 1}, cpu});
  contest.add("oneDNN", [&] {
    run.execute(queue, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
    queue.wait();
  });
  contest.add("separate passes",
              [&] { softmaxInPasses(data.data(), passes.data(), perRow.data(), size_t(rows), size_t(columns)); });
  addMemcpy(contest, bytes);
  contest.bar("memcpy", 0.60);
  contest.bar("oneDNN", 1.0);
  contest.bar("separate passes", 3.0);
  contest.run();
  ours();
  mustAgree("softmax", y.toVector<float>(), peer, 1e-5);
}

void layerNorm(const Options &options, int64_t rows, int64_t columns) {
  Contest contest(options, "layer norm " + std::to_string(rows) + "x" + std::to_string(columns) + " fp32");
  if (!contest.isWanted())
    return;
  const std::vector<float> data = noise(size_t(rows * columns)), scale = noise(size_t(columns), 2),
                           shift = noise(size_t(columns), 3);
  auto x = Tensor::from(data, {rows, columns}), y = Tensor::like(x), weight = Tensor::from(scale),
       bias = Tensor::from(shift);
  auto kernel = Kernel::load(kernelFile("layer_norm.py"), "layer_norm");
  const int64_t block = tilewise::nextPowerOf2(columns);
  const double bytes = 2.0 * double(rows * columns) * 4;
  auto ours = [&] { kernel[rows](x, y, weight, bias, columns, columns, 1e-5, "BLOCK"_a = block); };
  contest.unit(bytes / 1e9, "GB/s");
  contest.add("ours", ours);

  using namespace dnnl;
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  std::vector<float> peer(data.size());
  memory::desc layout({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
  memory::desc line({columns}, memory::data_type::f32, memory::format_tag::a);
  memory in(layout, cpu, const_cast<float *>(data.data())), out(layout, cpu, peer.data());
  memory scales(line, cpu, const_cast<float *>(scale.data())), shifts(line, cpu, const_cast<float *>(shift.data()));
  layer_normalization_forward run(
      {{prop_kind::forward_inference, layout, 1e-5f, normalization_flags::use_scale | normalization_flags::use_shift},
       cpu});
  contest.add("oneDNN", [&] {
    run.execute(queue, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}, {DNNL_ARG_SCALE, scales}, {DNNL_ARG_SHIFT, shifts}});
    queue.wait();
  });
  addMemcpy(contest, bytes);
  contest.bar("memcpy", 0.60);
  contest.bar("oneDNN", 1.0);
  contest.run();
  ours();
  mustAgree("layer norm", y.toVector<float>(), peer, 1e-4);
}

} // namespace

void rows(const Options &options) {
  softmax(options, 4096, 4096);
  softmax(options, 4096, 1000);
  layerNorm(options, 8192, 512);
  layerNorm(options, 4096, 4096);
}

} // namespace bench
