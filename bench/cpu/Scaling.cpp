// How the time grows with the work and falls with the threads: all threads against one of them, and
// twice the rows against two launches of once.
#include "KernelFile.hpp"
#include "Works.h"

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {
namespace {

/// The launch as a host with one thread to give would have it run.
std::function<void()> onOneThread(std::function<void()> launch) {
  return [launch = std::move(launch)] {
    tilewise::setExecutor(
        [](size_t count, const std::function<void(size_t)> &task) {
          for (size_t i = 0; i < count; ++i)
            task(i);
        },
        1);
    launch();
    tilewise::setExecutor(nullptr);
  };
}

/// Three quarters of the threads: 12 times one thread's rate on 16.
void scale(const Options &options, const std::string &work, double operations, const std::function<void()> &launch) {
  Contest contest(options, work);
  contest.unit(operations / 1e9, "GFLOPS");
  contest.add("ours", launch);
  contest.add("one thread", onOneThread(launch));
  contest.bar("one thread", 0.75 * threadsOfTheEngine());
  contest.run();
}

} // namespace

void scaling(const Options &options) {
  const std::string matmul = "scaling of matmul fp32 2048", attention = "scaling of attention fp32, 1024 tokens";
  if (Contest(options, matmul).isWanted()) {
    const int64_t size = 2048;
    auto a = Tensor::from(noise(size_t(size * size)), {size, size}), b = a.copy(), c = Tensor::like(a);
    auto kernel = Kernel::load(kernelFile("matmul.py"));
    scale(options, matmul, 2.0 * double(size * size) * double(size), [&] {
      kernel[{cdiv(size, 128), cdiv(size, 256)}](a, b, c, size, size, size, size, 1, size, 1, size, 1,
                                                 "BLOCK_M"_a = 128, "BLOCK_N"_a = 256, "BLOCK_K"_a = 128);
    });
  }
  if (Contest(options, attention).isWanted()) {
    const int64_t heads = 16, tokens = 1024, head = 64;
    const tilewise::Shape shape = {heads, tokens, head};
    auto q = Tensor::from(noise(size_t(heads * tokens * head)), shape), k = q.copy(), v = q.copy(),
         out = Tensor::like(q);
    auto kernel = Kernel::load(kernelFile("attention.py"));
    scale(options, attention, 4.0 * double(heads * tokens) * double(tokens * head), [&] {
      kernel[{cdiv(tokens, 64), heads}](q, k, v, out, tokens, tokens, 0.125, tokens * head, head, "HEAD"_a = head,
                                        "BLOCK_M"_a = 64, "BLOCK_N"_a = 64, "CAUSAL"_a = false);
    });
  }
  Contest rows(options, "twice the rows, softmax 8192x4096");
  if (rows.isWanted()) {
    const int64_t columns = 4096, once = 4096;
    const size_t half = size_t(once * columns);
    auto x = Tensor::from(noise(2 * half), {2 * once, columns}), y = Tensor::like(x);
    auto first = Tensor::from(noise(half), {once, columns}), second = Tensor::from(noise(half), {once, columns});
    auto firstOut = Tensor::like(first), secondOut = Tensor::like(second);
    auto kernel = Kernel::load(kernelFile("softmax.py"));
    auto launch = [&](Tensor &out, Tensor &in, int64_t count) {
      kernel[count](out, in, columns, columns, columns, "BLOCK"_a = columns);
    };
    rows.unit(2.0 * 2 * double(half) * 4 / 1e9, "GB/s");
    rows.add("ours", [&] { launch(y, x, 2 * once); });
    rows.add("two launches of half", [&] {
      // Not of the same half: the second would find the first's in the cache.
      launch(firstOut, first, once);
      launch(secondOut, second, once);
    });
    rows.bar("two launches of half", 0.9);
    rows.run();
  }
}

} // namespace bench
