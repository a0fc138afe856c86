// Kernels with random addresses and masks: what the compiling engines infer of them must not change
// what they mean. TILEWISE_TEST_SEEDS=1000 runs that many instead of 60.
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tilewise;

namespace {

/// Texts of kernels over blocks of 8 x 16 ints. An offset is at most 127 * 3^3 in size, so that
/// addresses around 4000 stay within x. Half of the kernels store only lanes of one mask, `demand`,
/// and may clamp offsets by it: what other lanes load must not matter then.
class Writer {
public:
  Writer(uint64_t seed, bool reshapes) : seed_(seed), reshapes_(reshapes) {}

  std::string kernel() {
    std::string text = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
                       "def kernel(x_ptr, out_ptr, part_ptr, n, s, t):\n"
                       "    pid = tl.program_id(0)\n"
                       "    i = tl.arange(0, 8)[:, None]\n"
                       "    j = tl.arange(0, 16)[None, :]\n"
                       "    full = i * 16 + j\n"
                       "    row = tl.load(x_ptr + i * 7) % 50\n"
                       "    column = tl.load(x_ptr + j * 5) % 50\n"
                       "    v = full * 0\n";
    text += "    demand = full >= 0\n    demand = " + mask() + "\n";
    const bool isMasked = pick(2);
    const unsigned loads = 1 + pick(3);
    for (unsigned load = 0; load < loads; ++load)
      text += "    v = v * 3 + tl.load(x_ptr + " + address(3) + ", mask=" + mask() + ", other=" + number() + ")\n";
    if (pick(2)) {
      text += "    ptrs = x_ptr + " + address(2) + "\n";
      const bool isWhile = pick(2);
      text += isWhile ? "    k = t\n    while k > 0:\n" : "    for k in range(0, t):\n";
      text += "        v += tl.load(ptrs, mask=" + mask("k") +
              ", other=0)\n        ptrs += " + std::string(pick(2) ? "s" : "k * s") + "\n";
      text += isWhile ? "        k -= 1\n" : "";
    }
    if (pick(3) == 0) {
      text += "    if n > " + std::to_string(pick(12)) + ":\n        ptrs = x_ptr + " + address(1) +
              "\n    else:\n        ptrs = x_ptr + " + address(1) + "\n    v += tl.load(ptrs, mask=" + mask() +
              ", other=1)\n";
    }
    // Each lane has an address of its own, for lanes that meet would write in any order.
    const char *const places[] = {"full", "2 * full + 1", "j * 8 + i", "127 - full", "i * 17 + j"};
    text +=
        "    tl.store(part_ptr + pid * 512 + " + std::string(places[pick(5)]) + ", v, mask=demand & " + mask() + ")\n";
    text += "    tl.store(out_ptr + pid * 128 + full, v" + std::string(isMasked ? ", mask=demand" : "") + ")\n";
    return text;
  }

private:
  unsigned pick(unsigned count) {
    seed_ = seed_ * 6364136223846793005 + 1442695040888963407;
    return unsigned(seed_ >> 33) % count;
  }
  std::string number() { return std::to_string(int(pick(11)) - 5); }

  std::string offset(unsigned depth, const std::string &scalar = "t") {
    if (depth == 0) {
      const std::string leaves[] = {"i", "j", "i", "j", "full", "pid", "n", "s", scalar, number(), "row", "column"};
      return leaves[pick(12)];
    }
    const std::string a = offset(depth - 1, scalar), b = offset(pick(depth), scalar);
    switch (pick(reshapes_ ? 14 : 11)) {
    case 0:
    case 1:
    case 2:
      return "(" + a + " + " + b + ")";
    case 3:
      return "(" + a + " - " + b + ")";
    case 4:
      return "(" + a + " * " + std::to_string(int(pick(7)) - 3) + ")";
    case 5:
      return "(" + a + " % n)";
    case 6:
      return "(" + a + " // " + std::to_string(1 + pick(5)) + ")";
    case 7:
      return "tl.where(" + (pick(2) ? "demand" : condition(1, scalar)) + ", " + a + ", " + b + ")";
    case 8:
      return "tl.minimum(" + a + " + j * 0, " + b + ")";
    case 9:
      return "tl.maximum(" + a + " + i * 0, " + b + ")";
    case 10:
      return "(" + a + " + full * 0).to(tl.int64)";
    case 11:
      return "tl.reshape(tl.reshape(" + a + " + full * 0, (128,)), (8, 16))";
    case 12:
      return "tl.permute(tl.reshape(" + a + " + full * 0, (16, 8)), (1, 0))";
    default:
      return "tl.reshape(tl.arange(0, 128), (8, 16))";
    }
  }

  std::string condition(unsigned depth, const std::string &scalar = "t") {
    if (depth == 0) {
      const char *const relations[] = {" < ", " < ", " <= ", " > ", " >= ", " == ", " != "};
      // One side varies, so that `~` and `&` are always of blocks.
      return "(" + offset(pick(3), scalar) + " + " + (pick(2) ? "i" : "j") + relations[pick(7)] +
             offset(pick(2), scalar) + ")";
    }
    const std::string a = condition(depth - 1, scalar);
    switch (pick(4)) {
    case 0:
      return "(" + a + " | " + condition(pick(depth), scalar) + ")";
    case 1:
      return "(~" + a + ")";
    default:
      return "(" + a + " & " + condition(pick(depth), scalar) + ")";
    }
  }

  std::string mask(const std::string &scalar = "t") { return "(" + condition(pick(3), scalar) + " & (full >= 0))"; }
  std::string address(unsigned depth) {
    return "4000 + i * " + std::to_string(int(pick(40)) - 10) + " + j * " + std::to_string(int(pick(4)) - 1) + " + " +
           offset(depth);
  }

  uint64_t seed_;
  bool reshapes_;
};

void compare(const char *engine, bool reshapes) {
  std::vector<int32_t> x(8000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = int32_t(i * 2654435761u >> 20);
  const char *wanted = std::getenv("TILEWISE_TEST_SEEDS");
  for (uint64_t seed = 1, last = wanted ? std::stoul(wanted) : 60; seed <= last; ++seed) {
    const std::string text = Writer(seed * 0x9E3779B97F4A7C15u, reshapes).kernel();
    const Kernel kernel = Kernel::fromSource(text);
    for (int n : {1, 5, 11}) {
      std::vector<int32_t> results[2][2];
      for (int which : {0, 1}) {
        const Device device(which ? engine : "reference");
        auto in = Tensor::from(x, {8000}, device);
        auto out = Tensor::from(std::vector<int32_t>(256, -7), {256}, device),
             part = Tensor::from(std::vector<int32_t>(1024, -7), {1024}, device);
        try {
          kernel[2](in, out, part, n, 3, 4);
        } catch (const Error &error) {
          FAIL() << "seed " << seed << " on " << device.text() << ": " << error.what() << "\n" << text;
        }
        results[which][0] = out.toVector<int32_t>();
        results[which][1] = part.toVector<int32_t>();
      }
      for (int which : {0, 1})
        for (size_t i = 0; i < results[0][which].size(); ++i)
          ASSERT_EQ(results[1][which][i], results[0][which][i])
              << (which ? "part" : "out") << "[" << i << "], seed " << seed << ", n " << n << "\n"
              << text;
    }
  }
}

TEST(RandomAccess, CpuAgreesWithReference) { compare("cpu", true); }

TEST(RandomAccess, GpuAgreesWithReference) {
  if (tw_device_count(TW_ENGINE_CUDA) == 0)
    GTEST_SKIP() << "this machine has no gpu";
  compare("cuda:0", false);
}

} // namespace
