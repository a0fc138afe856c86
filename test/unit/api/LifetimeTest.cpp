// What a launch and its named arguments were made of may be gone when they are used: they own it.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <memory>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kFill = R"(
import triton
import triton.language as tl

@triton.jit
def fill(out_ptr, value, BLOCK: tl.constexpr, KIND: tl.constexpr = None):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if KIND == "twice":
        value = value * 2
    tl.store(out_ptr + at, value)
)";

Kernel makeKernel() { return Kernel::fromSource(kFill); }

TEST(Lifetime, ALaunchOutlivesItsKernel) {
  Tensor out(DType::Float32, {4});
  auto launch = makeKernel()[1];
  launch(out, 1.5f, "BLOCK"_a = 4);
  EXPECT_EQ(out.toVector<float>(), std::vector<float>(4, 1.5f));
  // Also one made from a launch that is gone.
  auto again = makeKernel()[1].with(Options().withNumWarps(2)).on(Device("reference"));
  again(out, 2.5f, "BLOCK"_a = 4);
  EXPECT_EQ(out.toVector<float>(), std::vector<float>(4, 2.5f));
}

TEST(Lifetime, ALaunchOutlivesItsStream) {
  Tensor out(DType::Float32, {4});
  auto launch = [] {
    Stream stream{Device("cpu")};
    return makeKernel()[1].on(stream);
  }();
  launch(out, 1.5f, "BLOCK"_a = 4);
  EXPECT_EQ(out.toVector<float>(), std::vector<float>(4, 1.5f));
}

auto blockOf(int size) {
  const int doubled = size * 2;
  return "BLOCK"_a = doubled;
}
auto kindOf(const std::string &name) { return "KIND"_a = tilewise::quoted(name); }
auto named(const std::string &name) {
  const std::string parameter = name + "_ptr_of_a_long_name";
  return arg(parameter.substr(0, name.size() + 4), Tensor(DType::Float32, {8}));
}

TEST(Lifetime, NamedArgumentsHoldTheirValues) {
  Tensor out(DType::Float32, {8});
  makeKernel()[1](out, 1.0f, kindOf("twice"), blockOf(4));
  EXPECT_EQ(out.toVector<float>(), std::vector<float>(8, 2.0f));
  // A tensor, too: here a temporary that only the argument keeps.
  const auto given = named("out");
  makeKernel()[1](given, "value"_a = 3.0f, blockOf(4));
  const auto *values = static_cast<const float *>(given.value.argument.value.pointer);
  EXPECT_EQ(std::vector<float>(values, values + 8), std::vector<float>(8, 3.0f));
}

TEST(Lifetime, ADescriptorKeepsItsTensor) {
  auto copy = Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                                 "def copy(from_, to_ptr):\n"
                                 "    tl.store(to_ptr + tl.arange(0, 16), from_.load([0]))\n");
  Tensor to(DType::Float32, {16});
  auto descriptor =
      std::make_unique<Descriptor>(Tensor::from(std::vector<float>(16, 7.0f)), std::initializer_list<int64_t>{16});
  copy[1](*descriptor, to);
  EXPECT_EQ(to.toVector<float>(), std::vector<float>(16, 7.0f));
}

TEST(Lifetime, KernelsOutliveTheirSource) {
  auto kernel = Source::fromText(kFill, "fill.py").kernel("fill");
  Tensor out(DType::Float32, {4});
  kernel[1](out, 1, "BLOCK"_a = 4);
  EXPECT_EQ(kernel.name(), "fill");
}

} // namespace
