// Views of the caller's memory: containers, const memory, strides; and what the C++ types of
// elements are.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

template <typename Exception, typename Body> std::string messageOf(Body body) {
  try {
    body();
  } catch (const Exception &error) {
    return error.what();
  }
  return "nothing was thrown";
}

Kernel addOne() {
  return Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                            "def add_one(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
                            "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                            "    x = tl.load(x_ptr + at, mask=at < n)\n"
                            "    tl.store(y_ptr + at, x + 1, mask=at < n)\n",
                            "add_one", "one.py");
}

TEST(View, OfContainers) {
  std::vector<float> x = {1, 2, 3};
  std::array<float, 3> y = {};
  addOne()[1](Tensor::view(x), Tensor::view(y), 3, "BLOCK"_a = 4);
  EXPECT_EQ(y, (std::array<float, 3>{2, 3, 4}));
  addOne()[1](Tensor::view(std::span(x).first(2)), Tensor::view(std::span(y)), 2, "BLOCK"_a = 4);
  EXPECT_EQ(Tensor::view(x, {3, 1}).shape(), (Shape{3, 1}));
  EXPECT_EQ(messageOf<LaunchError>([&] { Tensor::view(x, {2, 2}); }), "a view of 4 elements around memory of 3");
  EXPECT_EQ(Tensor::from(std::span(x)).toVector<float>(), x);
  std::array<float, 3> out = {};
  Tensor::from(y).download(out);
  EXPECT_EQ(out, y);
}

TEST(View, MovedFromSaysSo) {
  Tensor tensor(DType::Float32, {2}), taken = std::move(tensor);
  const std::string told = "this Tensor was moved from: its memory belongs to the one that it was moved to";
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)tensor.shape(); }), told);
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)tensor.data(); }), told);
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)tensor.toVector<float>(); }), told);
  EXPECT_EQ(messageOf<LaunchError>([&] { addOne()[1](tensor, taken, 2, "BLOCK"_a = 2); }), told);
}

TEST(View, MovedFromKernelsAndSourcesSaySo) {
  Kernel kernel = addOne(), taken = std::move(kernel);
  const std::string told = "this Kernel was moved from: launch the one that it was moved to";
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)kernel.name(); }), told);
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)kernel[1]; }), told);
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)kernel.parameters(); }), told);
  Source source = Source::fromText("import triton\n@triton.jit\ndef k(x):\n    pass\n"), other = std::move(source);
  EXPECT_EQ(messageOf<LaunchError>([&] { (void)source.kernels(); }),
            "this Source was moved from: its text belongs to the one that it was moved to");
  EXPECT_EQ(other.kernels(), std::vector<std::string>{"k"});
}

TEST(View, OnAnotherDeviceIsNamed) {
  std::vector<float> x = {1, 2};
  const Tensor there(DType::Float32, {2}, Device("reference")), here = Tensor::view(x);
  EXPECT_EQ(messageOf<LaunchError>([&] { addOne()[1](there, here, 2, "BLOCK"_a = 2); }),
            "kernel 'add_one': argument 'y_ptr' is on cpu, the launch is on reference");
  EXPECT_EQ(messageOf<LaunchError>([&] { addOne()[1](there, "n"_a = 2, "BLOCK"_a = 2, "y_ptr"_a = here); }),
            "kernel 'add_one': argument 'y_ptr' is on cpu, the launch is on reference");
}

TEST(View, OfConstMemoryIsNotWritten) {
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> y(3);
  auto kernel = addOne();
  for (const char *device : {"reference", "cpu"}) {
    kernel[1].on(Device(device))(Tensor::view(x), Tensor::view(y), 3, "BLOCK"_a = 4);
    EXPECT_EQ(y, (std::vector<float>{2, 3, 4}));
    const std::string told = messageOf<LaunchError>(
        [&] { kernel[1].on(Device(device))(Tensor::view(y), Tensor::view(x), 3, "BLOCK"_a = 4); });
    EXPECT_EQ(told.substr(0, told.find('\n')),
              "kernel 'add_one': argument 'y_ptr' is a pointer to const fp32 (read-only memory, which no "
              "kernel may write); the kernel compiles with a pointer to fp32");
    EXPECT_NE(told.find("one.py:7:14: error:"), std::string::npos) << told;
    // Bare pointers, too.
    EXPECT_THROW(kernel[1].on(Device(device))(y.data(), x.data(), 3, 4), LaunchError);
  }
  EXPECT_EQ(x, (std::vector<float>{1, 2, 3}));
  auto atomic = Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                                   "def add(x_ptr):\n    tl.atomic_add(x_ptr, 1.0)\n");
  EXPECT_THROW(atomic[1](Tensor::view(x)), LaunchError);
}

TEST(View, OfConstMemoryStaysConstInCpp) {
  const std::vector<float> x = {1, 2, 3, 4};
  auto view = Tensor::view(x);
  EXPECT_TRUE(view.isConst());
  EXPECT_EQ(view.data<const float>(), x.data());
  EXPECT_EQ(view.toVector<float>(), x);
  EXPECT_EQ(messageOf<LaunchError>([&] { view.data(); }),
            "a view of const memory cannot be had as memory to write; use data<const T>()");
  EXPECT_THROW(view.data<float>(), LaunchError);
  EXPECT_THROW(view.upload(x), LaunchError);
  EXPECT_THROW(view.toDlpack(), LaunchError);
  EXPECT_THROW(Descriptor(view, {4}), LaunchError);
  auto copy = view.copy();
  EXPECT_FALSE(copy.isConst());
  copy.data<float>()[0] = 9;
}

TEST(View, DimensionsAreChecked) {
  Tensor tensor(DType::Float32, {2, 3});
  EXPECT_EQ(tensor.shape(1), 3);
  EXPECT_EQ(tensor.stride(0), 3);
  EXPECT_EQ(messageOf<LaunchError>([&] { tensor.shape(2); }), "a tensor of rank 2 has no dimension 2");
  EXPECT_EQ(messageOf<LaunchError>([&] { tensor.stride(size_t(-1)); }), "a tensor of rank 2 has no dimension -1");
}

TEST(View, StridedTensorsAreCopied) {
  std::vector<int> memory = {0, 1, 2, 3, 4, 5};
  auto transposed = Tensor::view(memory.data(), {3, 2}, {1, 3});
  EXPECT_EQ(transposed.toVector<int>(), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  auto backwards = Tensor::view(memory.data() + 5, {3}, {-2});
  EXPECT_EQ(backwards.toVector<int>(), (std::vector<int>{5, 3, 1}));
  auto column = Tensor::view(memory.data() + 1, {2}, {3});
  column.upload(std::vector<int>{-1, -4});
  EXPECT_EQ(memory, (std::vector<int>{0, -1, 2, 3, -4, 5}));
  auto copy = column.copy();
  EXPECT_EQ(copy.strides(), (Shape{1}));
  EXPECT_EQ(copy.toVector<int>(), (std::vector<int>{-1, -4}));
  EXPECT_EQ(messageOf<LaunchError>([&] { column.upload(std::vector<int>(3)); }),
            "a tensor of 8 bytes cannot be copied from or to memory of 12");
  // Every element is the same one.
  EXPECT_EQ(Tensor::view(memory.data(), {2, 2}, {0, 0}).toVector<int>(), (std::vector<int>(4)));
}

TEST(View, HalvesOfTheCompiler) {
  std::vector<_Float16> x = {_Float16(0.5f), _Float16(1.5f)};
  std::vector<_Float16> y(2);
  EXPECT_EQ(dtypeOf<const _Float16>(), DType::Float16);
  addOne()[1](Tensor::view(x), Tensor::view(y), 2, "BLOCK"_a = 2);
  EXPECT_EQ(float(y[1]), 2.5f);
  EXPECT_EQ(addOne().signature(Tensor::view(x), Tensor::view(y), _Float16(2), 2).substr(0, 22),
            "*fp16:16, *fp16:16, fp");
}

} // namespace
