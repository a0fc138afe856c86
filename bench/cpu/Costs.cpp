// What comes before the work: text to a callable kernel, and a launch that does nothing.
#include "KernelFile.hpp"
#include "Works.h"

using namespace tilewise::literals;
using tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {
namespace {

/// Each round loads the file again, so that nothing is remembered; the launch has one program over
/// little memory.
void compile(const Options &options, const char *name, double milliseconds,
             const std::function<void()> &loadAndLaunch) {
  Contest contest(options, std::string("compile ") + name);
  if (!contest.isWanted())
    return;
  contest.add("ours", loadAndLaunch);
  contest.bound("asked for", 1e3 / milliseconds, 1.0);
  contest.run();
}

} // namespace

void costs(const Options &options) {
  auto x = Tensor::from(noise(65536)), y = Tensor::like(x), z = Tensor::like(x);
  compile(options, "add", 15, [&] { Kernel::load(kernelFile("vector_add.py"))[1](x, y, z, 1000, "BLOCK"_a = 1024); });
  compile(options, "softmax", 40,
          [&] { Kernel::load(kernelFile("softmax.py"))[1](y, x, 1000, 1000, 1000, "BLOCK"_a = 1024); });
  compile(options, "matmul", 100, [&] {
    Kernel::load(kernelFile("matmul.py"))[1](x, y, z, 64, 64, 64, 64, 1, 64, 1, 64, 1, "BLOCK_M"_a = 64,
                                             "BLOCK_N"_a = 64, "BLOCK_K"_a = 64);
  });
  compile(options, "attention", 200, [&] {
    Kernel::load(kernelFile("attention.py"))[1](x, y, z, x, 64, 64, 0.125, 4096, 64, "HEAD"_a = 64, "BLOCK_M"_a = 64,
                                                "BLOCK_N"_a = 64, "CAUSAL"_a = false);
  });
  compile(options, "softmax of a 64 K-wide block", 100,
          [&] { Kernel::load(kernelFile("softmax.py"))[1](y, x, 65536, 65536, 65536, "BLOCK"_a = 65536); });

  Contest launch(options, "launch of an empty kernel, 10 arguments");
  if (!launch.isWanted())
    return;
  auto empty = Kernel::fromSource("import triton\n\n@triton.jit\ndef empty(a, b, c, d, e, f, g, h, i, j):\n    pass\n");
  launch.add("ours", [&] { empty[1](x, y, z, x, 1, 2, 3, 4, 5, 6); });
  launch.bound("asked for", 1e6, 1.0);
  launch.run();
}

} // namespace bench
