// The kernels of kernels/ in both forms, as a file and in C++: the same tile IR, op for op, and so
// the same results on every engine.
#include "../../../kernels/attention.hpp"
#include "../../../kernels/buggy_add.hpp"
#include "../../../kernels/convolution.hpp"
#include "../../../kernels/copy.hpp"
#include "../../../kernels/dropout.hpp"
#include "../../../kernels/greyscale.hpp"
#include "../../../kernels/layer_norm.hpp"
#include "../../../kernels/matmul.hpp"
#include "../../../kernels/matmul_fused.hpp"
#include "../../../kernels/sepia.hpp"
#include "../../../kernels/softmax.hpp"
#include "../../../kernels/softmax_backward.hpp"
#include "../../../kernels/vector_add.hpp"
#include "TestRoot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

using namespace tilewise;

namespace {

struct Pair {
  const char *file, *name;
  Kernel (*inCpp)();
  const char *signature;
};

const Pair kPairs[] = {
    {"vector_add", "vector_add", kernels::vectorAdd, "*fp32:16, *fp32:16, *fp32:16, i32, 1024"},
    {"copy", "copy", kernels::copy, "*fp16, *fp16, i32:16, 256"},
    {"buggy_add", "buggy_add", kernels::buggyAdd, "*fp32, *fp32, *fp32, i32, 64"},
    {"softmax", "softmax", kernels::softmax, "*fp32:16, *bf16:16, i32, i32:16, i32, 1024"},
    {"softmax_backward", "softmax_backward", kernels::softmaxBackward, "*fp32, *fp32, *fp32, i32, i32, 512"},
    {"dropout", "dropout", kernels::dropout, "*fp32, *fp32, i32, fp32, i64, 128"},
    {"layer_norm", "layer_norm", kernels::layerNorm, "*fp16, *fp16, *fp16, *fp16, i32, i32, fp32, 512"},
    {"layer_norm", "layer_norm_linear", kernels::layerNormLinear,
     "*fp32, *fp32, *fp32, *fp32, *fp32, *fp32, i32, i32, i32, fp32, i32, i32, i32, 16, 32, 64"},
    {"matmul", "matmul", kernels::matmul,
     "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 64, 32, 16"},
    {"matmul", "matmul", kernels::matmul, "*i8, *i8, *i32, i32, i32, i32, i32, 1, i32, 1, i32, 1, 32, 32, 32"},
    {"matmul_fused", "matmul_fused", kernels::matmulFused,
     "*fp32, *fp32, *fp32, i32, i32, i32, i32, 1, i32, 1, i32, 1, 32, 32, 32, 8, \"leaky_relu\""},
    {"matmul_fused", "matmul_fused", kernels::matmulFused,
     "*fp32, *fp32, *fp32, i32, i32, i32, i32, 1, i32, 1, i32, 1, 32, 32, 32, 8, \"none\""},
    {"attention", "attention", kernels::attention,
     "*fp16, *fp16, *fp16, *fp16, i32, i32, fp32, i32, i32, 64, 32, 64, True"},
    {"attention", "attention", kernels::attention,
     "*fp32, *fp32, *fp32, *fp32, i32, i32, fp32, i32, i32, 32, 16, 16, False"},
    {"convolution", "convolve", kernels::convolve, "*fp32, *fp32, *fp32, i32, i32, 3, 8, 16"},
    {"greyscale", "greyscale", kernels::greyscale, "*fp32, *fp32, i32, i32, 8, 64"},
    {"sepia", "sepia", kernels::sepia, "*fp32, *fp32, i32, i32, 8, 64"},
};

/// The ops of the IR in their order: what is left is which constant stands where, which C++ decides
/// by the order in which it evaluates operands.
std::vector<std::string> opsOf(const Kernel &kernel, const char *signature) {
  std::vector<std::string> ops;
  std::istringstream lines(kernel.emit("tile", signature, "reference"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    std::string op = equals == std::string::npos ? line : line.substr(equals + 3);
    op = op.substr(0, op.find_first_of(" {", op.find_first_not_of(' ')));
    if (line.find("arith.constant") == std::string::npos)
      ops.push_back(op + (line.find(" : ") == std::string::npos ? "" : line.substr(line.rfind(" : "))));
  }
  return ops;
}

TEST(CppKernels, BothFormsAreTheSameOps) {
  for (const Pair &pair : kPairs) {
    const Kernel inFile = Kernel::load(test::rootPath(std::string("kernels/") + pair.file + ".py"), pair.name);
    const auto ops = opsOf(inFile, pair.signature);
    EXPECT_GT(ops.size(), 5u) << pair.name;
    EXPECT_EQ(opsOf(pair.inCpp(), pair.signature), ops) << pair.name << " " << pair.signature;
  }
}

TEST(CppKernels, CompileToPtx) {
  const std::string ptx = kernels::matmul().emit(
      "ptx", "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32, 1, i32, 1, i32, 1, 64, 64, 32", "cuda:80");
  EXPECT_NE(ptx.find(".entry matmul"), std::string::npos);
  EXPECT_NE(ptx.find("mma.sync"), std::string::npos);
}

TEST(CppKernels, EveryFormInCppHasItsFileAndIsTested) {
  std::set<std::string> files, inCpp, tested;
  for (const auto &entry : std::filesystem::directory_iterator(test::rootPath("kernels")))
    if (entry.is_regular_file())
      (entry.path().extension() == ".py" ? files : inCpp).insert(entry.path().stem());
  for (const Pair &pair : kPairs)
    tested.insert(pair.file);
  EXPECT_TRUE(std::includes(files.begin(), files.end(), inCpp.begin(), inCpp.end()));
  EXPECT_EQ(inCpp, tested);
}

std::vector<float> wave(std::size_t count, double step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(std::sin(step * double(i)));
  return values;
}

/// Both forms over the same memory, bit for bit, on the engines of the host.
template <typename Launch> void compare(const Pair &pair, std::size_t outputs, Launch launch) {
  const Kernel inFile = Kernel::load(test::rootPath(std::string("kernels/") + pair.file + ".py"), pair.name),
               inCpp = pair.inCpp();
  for (const char *engine : {"reference", "cpu"}) {
    const Device device(engine);
    Tensor a(DType::Float32, {std::int64_t(outputs)}, device), b(DType::Float32, {std::int64_t(outputs)}, device);
    launch(inFile, device, a);
    launch(inCpp, device, b);
    EXPECT_EQ(a.toVector<float>(), b.toVector<float>()) << pair.name << " on " << engine;
    EXPECT_NE(a.toVector<float>(), std::vector<float>(outputs)) << pair.name << " on " << engine;
  }
}

TEST(CppKernels, BothFormsComputeTheSame) {
  compare({"softmax", "softmax", kernels::softmax, ""}, 5 * 77,
          [](const Kernel &kernel, const Device &device, const Tensor &out) {
            const Tensor in = Tensor::from(wave(5 * 77, 0.37), {5, 77}, device);
            kernel[5](out, in, 77, 77, 77, 128);
          });
  compare({"matmul", "matmul", kernels::matmul, ""}, 23 * 31,
          [](const Kernel &kernel, const Device &device, const Tensor &out) {
            const Tensor a = Tensor::from(wave(23 * 41, 0.1), {23, 41}, device),
                         b = Tensor::from(wave(41 * 31, 0.07), {41, 31}, device);
            kernel[{2, 2}](a, b, out, 23, 31, 41, 41, 1, 31, 1, 31, 1, 16, 16, 16);
          });
  compare({"attention", "attention", kernels::attention, ""}, 2 * 40 * 16,
          [](const Kernel &kernel, const Device &device, const Tensor &out) {
            const Tensor q = Tensor::from(wave(2 * 40 * 16, 0.3), {2 * 40 * 16}, device),
                         k = Tensor::from(wave(2 * 40 * 16, 0.2), {2 * 40 * 16}, device),
                         v = Tensor::from(wave(2 * 40 * 16, 0.1), {2 * 40 * 16}, device);
            kernel[{3, 2}](q, k, v, out, 40, 40, 0.25f, 640, 16, 16, 16, 16, true);
          });
}

} // namespace
