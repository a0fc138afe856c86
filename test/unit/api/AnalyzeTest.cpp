// Bytes, distinct bytes, sectors and operations of launches on the reference engine, counted by
// hand.
#include "tilewise/analyze.hpp"
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

std::string kernelFile(const std::string &name) { return test::rootPath("kernels/" + name); }

/// Zeros on the reference engine.
Tensor zeros(std::vector<std::int64_t> shape) { return Tensor(DType::Float32, shape, Device("reference")); }

const Analysis::Argument &argumentOf(const Analysis &found, const std::string &name) {
  for (const Analysis::Argument &each : found.arguments)
    if (each.name == name)
      return each;
  throw std::runtime_error("no argument " + name);
}

} // namespace

TEST(Analyze, CountsAVectorAdd) {
  Kernel add = Kernel::load(kernelFile("vector_add.py"));
  Tensor x = zeros({100}), y = Tensor::like(x), z = Tensor::like(x);
  const Analysis found = analyze([&] { add[2](x, y, z, 100, "BLOCK"_a = 64); });
  EXPECT_EQ(found.launches, 1u);
  EXPECT_EQ(found.programs, 2u);
  EXPECT_EQ(found.moved(), 1200u);
  EXPECT_EQ(found.least(), 1200u);
  EXPECT_EQ(found.operations, 128u); // A block at a time, the lanes past the end too.
  EXPECT_EQ(found.dotOperations, 0u);
  EXPECT_EQ(argumentOf(found, "x_ptr").loaded, 400u);
  EXPECT_EQ(argumentOf(found, "z_ptr").stored, 400u);
  EXPECT_EQ(found.bound({40, 200}), "memory");
  EXPECT_DOUBLE_EQ(found.leastMilliseconds({40, 200}), 1200 / 40.0 * 1e-6);
  EXPECT_NE(found.table().find("moved 1200 bytes; the least possible is 1200"), std::string::npos) << found.table();
}

TEST(Analyze, CountsWhatIsUsedAgain) {
  Kernel matmul = Kernel::load(kernelFile("matmul.py"));
  Tensor a = zeros({64, 32}), b = zeros({32, 64}), c = zeros({64, 64});
  const Analysis found = analyze([&] {
    matmul[{4, 4}](a, b, c, 64, 64, 32, 32, 1, 64, 1, 64, 1, "BLOCK_M"_a = 16, "BLOCK_N"_a = 16, "BLOCK_K"_a = 16);
  });
  EXPECT_EQ(argumentOf(found, "a_ptr").loaded, 4u * 64 * 32 * 4);
  EXPECT_EQ(argumentOf(found, "a_ptr").distinctLoaded, 64u * 32 * 4);
  EXPECT_EQ(argumentOf(found, "b_ptr").loaded, 4u * 64 * 32 * 4);
  EXPECT_EQ(found.dotOperations, 2u * 64 * 64 * 32);
  EXPECT_EQ(found.bound({1, 1}), "arithmetic");
}

TEST(Analyze, CountsSectorsOfColumns) {
  Kernel kernel = Source::fromText(R"(
import triton
import triton.language as tl


@triton.jit
def double_columns(x_ptr, y_ptr, size, BLOCK: tl.constexpr):
    row = tl.arange(0, BLOCK)
    at = row * size + tl.program_id(0)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=row < size) * 2, mask=row < size)
)")
                      .kernel("double_columns");
  Tensor x = zeros({64, 64}), y = Tensor::like(x);
  const Analysis found = analyze([&] { kernel[64](x, y, 64, "BLOCK"_a = 64); });
  EXPECT_EQ(argumentOf(found, "x_ptr").loadedSectors, 64u * 64 * 32);
  EXPECT_EQ(found.wasted(), 2u * 64 * 64 * (32 - 4));
}

TEST(Analyze, EndsWithItsFunction) {
  Kernel add = Kernel::load(kernelFile("vector_add.py"));
  Tensor x = zeros({64}), y = Tensor::like(x), z = Tensor::like(x);
  auto launch = [&] { add[1](x, y, z, 64, "BLOCK"_a = 64); };
  EXPECT_THROW(analyze([&] {
                 launch();
                 throw std::runtime_error("mine");
               }),
               std::runtime_error);
  launch(); // Nobody counts it.
  EXPECT_EQ(analyze([] {}).launches, 0u);
  EXPECT_EQ(analyze([&] {
              launch();
              launch();
            }).launches,
            2u);
}
