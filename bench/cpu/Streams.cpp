// Works that memory bounds: their peers are memcpy, a hand-written add with streaming stores, a
// plain loop, and oneDNN's convolution.
#include "KernelFile.hpp"
#include "Works.h"

#include <dnnl.hpp>

#include <cstring>
#include <immintrin.h>
#include <memory>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {

void addMemcpy(Contest &contest, double bytes) {
  const size_t half = size_t(bytes / 2);
  auto from = std::make_shared<std::vector<char>>(half, 1), to = std::make_shared<std::vector<char>>(half, 2);
  contest.add("memcpy", [=] {
    team().split(half, 4096, [&](size_t first, size_t last) {
      std::memcpy(to->data() + first, from->data() + first, last - first);
    });
  });
}

static void plainAdd(const float *x, const float *y, float *z, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i)
    z[i] = x[i] + y[i];
}

__attribute__((target("avx2"))) static void streamingAdd(const float *x, const float *y, float *z, size_t first,
                                                         size_t last) {
  for (size_t i = first; i < last; i += 8)
    _mm256_stream_ps(z + i, _mm256_add_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
  _mm_sfence();
}

static void copyAndAdd(const Options &options) {
  const size_t n = size_t(1) << 26;
  Contest copies(options, "copy 2^26 fp32"), adds(options, "add 2^26 fp32");
  if (!copies.isWanted() && !adds.isWanted())
    return;
  const std::vector<float> data = noise(n);
  auto x = Tensor::from(data), y = x.copy(), z = Tensor::like(x);
  float *from = x.data<float>(), *other = y.data<float>(), *to = z.data<float>();
  auto copy = Kernel::load(kernelFile("copy.py")), add = Kernel::load(kernelFile("vector_add.py"));
  const int64_t block = 4096;
  if (copies.isWanted()) {
    copies.unit(2.0 * n * 4 / 1e9, "GB/s");
    copies.add("ours", [&] { copy[cdiv(n, block)](x, z, n, "BLOCK"_a = block); });
    addMemcpy(copies, 2.0 * n * 4);
    copies.bar("memcpy", 0.95);
    copies.run();
    copy[cdiv(n, block)](x, z, n, "BLOCK"_a = block);
    mustAgree("copy", z.toVector<float>(), data, 0);
  }
  if (adds.isWanted()) {
    adds.unit(3.0 * n * 4 / 1e9, "GB/s");
    adds.add("ours", [&] { add[cdiv(n, block)](x, y, z, n, "BLOCK"_a = block); });
    adds.add("streaming add", [&] {
      team().split(n, 1024, [&](size_t first, size_t last) { streamingAdd(from, other, to, first, last); });
    });
    adds.add("plain loop", [&] {
      team().split(n, 1024, [&](size_t first, size_t last) { plainAdd(from, other, to, first, last); });
    });
    adds.bar("streaming add", 0.95);
    adds.bar("plain loop", 1.0);
    adds.run();
  }
}

/// Three planes in, `planesOut` out, and next to nothing to compute: the streams of a picture's
/// kernel.
static void streamPlanes(const float *in, float *out, int planesOut, size_t plane, size_t first, size_t last) {
  auto sumAt = [&](size_t i) {
    const __m256 two = _mm256_add_ps(_mm256_loadu_ps(in + i), _mm256_loadu_ps(in + plane + i));
    return _mm256_add_ps(two, _mm256_loadu_ps(in + 2 * plane + i));
  };
  for (size_t i = first; i < last; i += 16) {
    // Whole lines, or streaming stores would leave half of one.
    const __m256 left = sumAt(i), right = sumAt(i + 8);
    for (int p = 0; p < planesOut; ++p) {
      _mm256_stream_ps(out + p * plane + i, left);
      _mm256_stream_ps(out + p * plane + i + 8, right);
    }
  }
  _mm_sfence();
}

/// A picture of three planes through a kernel whose bytes are known, against a loop that moves the
/// same ones; and against memcpy where as much is written as is read.
static void picture(const Options &options, const char *name, const char *file, int planesOut, int64_t blockH,
                    int64_t blockW) {
  const int64_t size = 4096;
  Contest contest(options, std::string(name) + " 4096x4096 fp32");
  if (!contest.isWanted())
    return;
  auto in = Tensor::from(noise(size_t(3 * size * size)), {3, size, size});
  Tensor out(DType::Float32, {planesOut, size, size});
  auto kernel = Kernel::load(kernelFile(file), name);
  const double bytes = double(3 + planesOut) * double(size * size) * 4;
  contest.unit(bytes / 1e9, "GB/s");
  contest.add("ours", [&] {
    kernel[{cdiv(size, blockH), cdiv(size, blockW)}](in, out, size, size, "BLOCK_H"_a = blockH, "BLOCK_W"_a = blockW);
  });
  const size_t plane = size_t(size * size);
  contest.add("same streams", [&] {
    team().split(plane, 1024, [&](size_t first, size_t last) {
      streamPlanes(in.data<float>(), out.data<float>(), planesOut, plane, first, last);
    });
  });
  addMemcpy(contest, bytes);
  contest.bar("same streams", 0.90);
  if (planesOut == 3)
    contest.bar("memcpy", 0.90);
  else
    contest.compare("memcpy");
  contest.run();
}

static void convolution(const Options &options) {
  const int64_t size = 4096, planes = 3;
  Contest contest(options, "convolution 3x3 of 3x4096x4096 fp32");
  if (!contest.isWanted())
    return;
  const std::vector<float> data = noise(size_t(planes * size * size)), weight = noise(9, 2);
  auto in = Tensor::from(data, {planes, size, size}), out = Tensor::like(in), weights = Tensor::from(weight, {3, 3});
  auto convolve = Kernel::load(kernelFile("convolution.py"));
  const double bytes = 2.0 * double(planes * size * size) * 4;
  contest.unit(bytes / 1e9, "GB/s");
  const int64_t blockH = 4, blockW = 512;
  contest.add("ours", [&] {
    convolve[{planes, cdiv(size, blockH), cdiv(size, blockW)}](in, out, weights, size, size, "SIZE"_a = 3,
                                                               "BLOCK_H"_a = blockH, "BLOCK_W"_a = blockW);
  });
  using namespace dnnl;
  engine cpu(engine::kind::cpu, 0);
  stream queue(cpu);
  using Tag = memory::format_tag;
  const memory::dims shape = {1, planes, size, size}, kernelShape = {planes, 1, 1, 3, 3};
  std::vector<float> peerWeights;
  for (int64_t plane = 0; plane < planes; ++plane)
    peerWeights.insert(peerWeights.end(), weight.begin(), weight.end());
  // The best layout is oneDNN's own choice; pictures come and go in planes, so its reorders belong
  // to the work only in the first of the two.
  memory::desc plain(shape, memory::data_type::f32, Tag::nchw), any(shape, memory::data_type::f32, Tag::any);
  memory::desc weightAny(kernelShape, memory::data_type::f32, Tag::any);
  auto make = [&](const memory::desc &layout) {
    convolution_forward::desc description(prop_kind::forward_inference, algorithm::convolution_direct, layout,
                                          weightAny, layout, {1, 1}, {0, 0}, {2, 2});
    return convolution_forward::primitive_desc(description, cpu);
  };
  std::vector<std::function<void()>> keep;
  for (const auto &[name, layout] :
       {std::pair<const char *, memory::desc>{"oneDNN planes", plain}, {"oneDNN own layout", any}}) {
    auto primitive = make(layout);
    auto source = std::make_shared<memory>(primitive.src_desc(), cpu),
         target = std::make_shared<memory>(primitive.dst_desc(), cpu),
         filter = std::make_shared<memory>(primitive.weights_desc(), cpu);
    memory user(plain, cpu, const_cast<float *>(data.data()));
    reorder(user, *source).execute(queue, user, *source);
    memory userWeights({kernelShape, memory::data_type::f32, Tag::goihw}, cpu, peerWeights.data());
    reorder(userWeights, *filter).execute(queue, userWeights, *filter);
    queue.wait();
    auto run = std::make_shared<convolution_forward>(primitive);
    contest.add(name, [=, &queue] {
      run->execute(queue, {{DNNL_ARG_SRC, *source}, {DNNL_ARG_WEIGHTS, *filter}, {DNNL_ARG_DST, *target}});
      queue.wait();
    });
  }
  addMemcpy(contest, bytes);
  contest.bar("memcpy", 0.90);
  contest.bar("oneDNN planes", 1.0);
  contest.bar("oneDNN own layout", 1.0);
  contest.run();
}

void streams(const Options &options) {
  copyAndAdd(options);
  picture(options, "greyscale", "greyscale.py", 1, 1, 2048);
  picture(options, "sepia", "sepia.py", 3, 1, 2048);
  convolution(options);
}

} // namespace bench
