// What checked mode costs: each kernel of the library against itself unchecked, at sizes that are
// no multiples of the blocks.
#include "KernelFile.hpp"
#include "Works.h"

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Grid, tilewise::Kernel, tilewise::Tensor;

namespace bench {
namespace {

template <typename... Arguments>
void kernel(const Options &options, const char *file, const char *name, Grid grid, const Arguments &...arguments) {
  Contest contest(options, std::string("checked ") + name);
  if (!contest.isWanted())
    return;
  Kernel kernel = Kernel::load(kernelFile(file), name);
  tilewise::Options checked;
  checked.checked = true;
  contest.add("ours", [&] { kernel[grid].with(checked)(arguments...); });
  contest.add("unchecked", [&] { kernel[grid](arguments...); });
  // At most five times slower.
  contest.bar("unchecked", 0.2);
  contest.run();
}

Tensor matrix(int64_t rows, int64_t columns, unsigned seed = 1) {
  return Tensor::from(noise(size_t(rows * columns), seed), {rows, columns});
}

} // namespace

void checked(const Options &options) {
  const int64_t n = 1000003, side = 1001, rows = 1003, columns = 1000, m = 300, k = 200, p = 333;
  auto x = Tensor::from(noise(size_t(n))), y = Tensor::from(noise(size_t(n), 2)), z = Tensor::like(x);
  kernel(options, "copy.py", "copy", cdiv(n, 4096), x, z, n, "BLOCK"_a = 4096);
  kernel(options, "vector_add.py", "vector_add", cdiv(n, 4096), x, y, z, n, "BLOCK"_a = 4096);
  kernel(options, "dropout.py", "dropout", cdiv(n, 4096), x, z, n, 0.5, 7, "BLOCK"_a = 4096);

  auto table = matrix(rows, columns), other = matrix(rows, columns, 2), out = Tensor::like(table);
  auto weight = Tensor::from(noise(size_t(columns), 3)), bias = Tensor::from(noise(size_t(columns), 4));
  kernel(options, "softmax.py", "softmax", rows, out, table, columns, columns, columns, "BLOCK"_a = 1024);
  kernel(options, "softmax_backward.py", "softmax_backward", rows, out, table, other, columns, columns,
         "BLOCK"_a = 1024);
  kernel(options, "layer_norm.py", "layer_norm", rows, table, out, weight, bias, columns, columns, 1e-5,
         "BLOCK"_a = 1024);
  auto linear = matrix(columns, p), linearBias = Tensor::from(noise(size_t(p), 5)), product = matrix(rows, p);
  kernel(options, "layer_norm.py", "layer_norm_linear", {cdiv(rows, 64), cdiv(p, 64)}, table, product, weight, bias,
         linear, linearBias, rows, columns, p, 1e-5, columns, p, p, "BLOCK_M"_a = 64, "BLOCK_N"_a = 64,
         "BLOCK_K"_a = 64);

  auto a = matrix(m, k), b = matrix(k, p, 2), c = matrix(m, p);
  kernel(options, "matmul.py", "matmul", {cdiv(m, 64), cdiv(p, 64)}, a, b, c, m, p, k, k, 1, p, 1, p, 1,
         "BLOCK_M"_a = 64, "BLOCK_N"_a = 64, "BLOCK_K"_a = 64);
  kernel(options, "matmul_fused.py", "matmul_fused", cdiv(m, 64) * cdiv(p, 64), a, b, c, m, p, k, k, 1, p, 1, p, 1,
         "BLOCK_M"_a = 64, "BLOCK_N"_a = 64, "BLOCK_K"_a = 64, "GROUP"_a = 4,
         "ACTIVATION"_a = tilewise::quoted("leaky_relu"));

  const tilewise::Shape planes = {3, side, side};
  auto picture = Tensor::from(noise(size_t(3 * side * side)), planes), painted = Tensor::like(picture);
  auto window = Tensor::from(noise(9), {3, 3});
  for (const char *name : {"greyscale", "sepia"})
    kernel(options, (std::string(name) + ".py").c_str(), name, {cdiv(side, 4), cdiv(side, 1024)}, picture, painted,
           side, side, "BLOCK_H"_a = 4, "BLOCK_W"_a = 1024);
  kernel(options, "convolution.py", "convolve", {3, cdiv(side, 4), cdiv(side, 512)}, picture, painted, window, side,
         side, "SIZE"_a = 3, "BLOCK_H"_a = 4, "BLOCK_W"_a = 512);

  const int64_t heads = 4, tokens = 500, head = 64;
  const tilewise::Shape words = {heads, tokens, head};
  const size_t count = size_t(heads * tokens * head);
  auto q = Tensor::from(noise(count), words), keys = Tensor::from(noise(count, 2), words),
       values = Tensor::from(noise(count, 3), words), mixed = Tensor::like(q);
  kernel(options, "attention.py", "attention", {cdiv(tokens, 64), heads}, q, keys, values, mixed, tokens, tokens, 0.125,
         tokens * head, head, "HEAD"_a = head, "BLOCK_M"_a = 64, "BLOCK_N"_a = 64, "CAUSAL"_a = true);
}

} // namespace bench
