// Matrix products against OpenBLAS and oneDNN; small floats against our own fp32.
#include "KernelFile.hpp"
#include "Works.h"

#include <cblas.h>
#include <cpuid.h>
#include <dnnl.h>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {
namespace {

struct Blocks {
  int64_t m, n, k;
};

/// Whether the processor multiplies tiles of small numbers (AMX).
bool hasTiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bit_AMXTILE) && (d & bit_AMXBF16) && (d & bit_AMXINT8);
}

/// The blocks of least work: large ones pay for the packing of the right operand (about 23 rows'
/// worth of time per block, measured on an Ice Lake) and for the way of the left one to the first
/// cache (about 9 columns' worth), small ones leave less to do over the edges, and keep all threads
/// busy to the end. Tiles are made of both operands, at 26 rows' or columns' worth (a Sapphire
/// Rapids).
Blocks blocksFor(int64_t m, int64_t n, bool makesTiles) {
  const int64_t threads = team().size();
  const double packing = makesTiles ? 26 : 23, reading = makesTiles ? 26 : 9;
  auto cost = [&](const Blocks &block) {
    const int64_t rounds = cdiv(cdiv(m, block.m) * cdiv(n, block.n), threads);
    return double(rounds * block.m * block.n) * (1 + packing / double(block.m) + reading / double(block.n));
  };
  Blocks best{64, 64, 64};
  for (const Blocks &block : {Blocks{128, 128, 128}, Blocks{256, 128, 128}, Blocks{128, 256, 128},
                              Blocks{512, 128, 128}, Blocks{256, 256, 128}, Blocks{512, 256, 128}})
    if (cost(block) < cost(best))
      best = block;
  return best;
}

/// `deeper`: that many times the depth of fp32's blocks, since elements are that many times
/// smaller.
std::function<void()> product(Kernel &kernel, Tensor &a, Tensor &b, Tensor &c, int64_t deeper = 1) {
  const int64_t m = a.shape(0), n = b.shape(1), k = a.shape(1);
  Blocks block = blocksFor(m, n, deeper > 1 && hasTiles());
  block.k *= deeper;
  return [&, m, n, k, block] {
    kernel[{cdiv(m, block.m), cdiv(n, block.n)}](a, b, c, m, n, k, k, 1, n, 1, n, 1, "BLOCK_M"_a = block.m,
                                                 "BLOCK_N"_a = block.n, "BLOCK_K"_a = block.k);
  };
}

/// fp32 against the libraries; gives the rate of ours for the small floats to be compared with.
void matmul(const Options &options, int64_t m, int64_t n, int64_t k) {
  const std::string size =
      m == n && n == k ? std::to_string(m) : std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  Contest contest(options, "matmul fp32 " + size);
  if (!contest.isWanted())
    return;
  const std::vector<float> left = noise(size_t(m * k)), right = noise(size_t(k * n), 2);
  auto a = Tensor::from(left, {m, k}), b = Tensor::from(right, {k, n});
  Tensor c(DType::Float32, {m, n});
  auto kernel = Kernel::load(kernelFile("matmul.py"));
  auto ours = product(kernel, a, b, c);
  contest.unit(2.0 * double(m) * double(n) * double(k) / 1e9, "GFLOPS");
  contest.add("ours", ours);
  std::vector<float> blas(size_t(m * n)), dnn(size_t(m * n));
  contest.add("OpenBLAS", [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int(m), int(n), int(k), 1, left.data(), int(k), right.data(),
                int(n), 0, blas.data(), int(n));
  });
  contest.add("oneDNN", [&] { dnnl_sgemm('N', 'N', m, n, k, 1, left.data(), k, right.data(), n, 0, dnn.data(), n); });
  contest.bar("best", 0.95);
  contest.run();
  ours();
  mustAgree("matmul " + size, c.toVector<float>(), blas, 1e-3);
}

/// 16-bit inputs with fp32 sums and bytes with int32 sums, against our own fp32: `tiled` is what is
/// asked for where there are tiles.
template <typename T> void small(const Options &options, const char *type, int64_t size, double tiled) {
  Contest contest(options, std::string("matmul ") + type + " " + std::to_string(size));
  if (!contest.isWanted())
    return;
  const std::vector<float> left = noise(size_t(size * size)), right = noise(size_t(size * size), 2);
  auto a = Tensor::from(left, {size, size}), b = Tensor::from(right, {size, size}), c = Tensor::like(a);
  auto narrow = [&](const std::vector<float> &values) {
    std::vector<T> narrowed;
    for (float value : values)
      narrowed.push_back(T(std::is_same_v<T, int8_t> ? value * 100 : value));
    return Tensor::from(narrowed, {size, size});
  };
  Tensor smallA = narrow(left), smallB = narrow(right);
  Tensor smallC(std::is_same_v<T, int8_t> ? DType::Int32 : DType::Float32, {size, size});
  auto kernel = Kernel::load(kernelFile("matmul.py"));
  contest.unit(2.0 * double(size) * double(size) * double(size) / 1e9, "GFLOPS");
  contest.add("ours", product(kernel, smallA, smallB, smallC, 4 / sizeof(T)));
  contest.add("our fp32", product(kernel, a, b, c));
  contest.bar("our fp32", hasTiles() ? tiled : 0.8);
  contest.run();
}

} // namespace

void matmuls(const Options &options) {
  for (int64_t size : {512, 1024, 2048, 4096})
    matmul(options, size, size, size);
  matmul(options, 1000, 1111, 777);
  for (int64_t size : {1024, 4096}) {
    small<tilewise::bfloat16>(options, "bf16", size, 3);
    small<tilewise::float16>(options, "fp16", size, 1.6);
    small<int8_t>(options, "int8", size, 3);
  }
}

} // namespace bench
