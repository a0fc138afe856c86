// Wrong launches, each a LaunchError that names the kernel and the argument, on each engine: one
// table for C and C++ (test_bad_input.py has Python's).
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <numeric>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kTakes = R"(
import triton
import triton.language as tl

@triton.jit
def takes(x_ptr, n, small: tl.int8, typed: "*fp32", BLOCK: tl.constexpr, KIND: tl.constexpr = 0):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(typed + at, mask=at < n).to(x_ptr.dtype.element_ty), mask=at < n)
)";

alignas(64) float memory[64];

struct Row {
  const char *name;
  std::vector<int64_t> grid;
  std::vector<tw_argument> arguments;
  const char *message; ///< Null: the launch is fine.
};

/// The arguments of a launch that is fine, with those given in place of some.
std::vector<tw_argument> with(std::initializer_list<tw_argument> changed) {
  std::vector<tw_argument> arguments = {tw_named("x_ptr", tw_pointer(memory, TW_FLOAT32)), tw_named("n", tw_int(5)),
                                        tw_named("small", tw_int(3)), tw_named("typed", tw_pointer(memory, TW_FLOAT32)),
                                        tw_named("BLOCK", tw_int(16))};
  for (const tw_argument &argument : changed)
    for (tw_argument &place : arguments)
      if (std::string_view(place.name) == argument.name)
        place = argument;
  return arguments;
}

std::vector<tw_argument> without(const char *name) {
  std::vector<tw_argument> arguments = with({});
  std::erase_if(arguments, [&](const tw_argument &argument) { return std::string_view(argument.name) == name; });
  return arguments;
}

std::vector<tw_argument> plus(tw_argument more) {
  std::vector<tw_argument> arguments = with({});
  arguments.push_back(more);
  return arguments;
}

tw_argument empty(tw_argument argument) {
  argument.bytes = 0;
  return argument;
}

tw_argument ofKind(uint32_t kind) {
  tw_argument argument = tw_int(0);
  argument.kind = kind;
  return argument;
}

/// A C program can write any number there; as a value of the enumeration it would not be one.
tw_argument ofUnknownType() {
  tw_argument argument = tw_pointer(memory, TW_FLOAT32);
  argument.dtype = 99;
  return argument;
}

tw_argument numberOfUnknownType() {
  tw_argument argument = tw_int(3);
  argument.dtype = 99;
  return argument;
}

char *misaligned = reinterpret_cast<char *>(memory) + 2;
const tw_descriptor badDescriptor = {memory, TW_FLOAT32, 7, 0, {4}, {1}, {4}};

const std::vector<Row> kRows = {
    {"fine", {1}, with({}), nullptr},
    {"empty grid", {0}, with({}), nullptr},
    {"empty grid in the middle", {2, 0, 3}, with({}), nullptr},
    {"null pointer to no elements",
     {1},
     with({tw_named("n", tw_int(0)), tw_named("x_ptr", empty(tw_pointer(nullptr, TW_FLOAT32)))}),
     nullptr},
    {"grid without dimensions", {}, with({}), "a grid has 1 to 3 dimensions, got 0"},
    {"grid of rank 4", {1, 1, 1, 1}, with({}), "a grid has 1 to 3 dimensions, got 4"},
    {"grid below zero", {4, -1}, with({}), "grid dimension 1 is -1, expected 0 or more"},
    {"grid of 2^31",
     {int64_t(1) << 31},
     with({}),
     "grid dimension 0 is 2147483648, at most 2147483647 programs are possible"},
    {"product of 2^31", {1 << 16, 1 << 15}, with({}), "the grid has more than 2147483647 programs"},
    {"grid that overflows 64 bits",
     {INT32_MAX, INT32_MAX, INT32_MAX},
     with({}),
     "the grid has more than 2147483647 programs"},
    {"null pointer",
     {1},
     with({tw_named("x_ptr", tw_pointer(nullptr, TW_FLOAT32))}),
     "argument 'x_ptr' is a null pointer"},
    {"misaligned pointer",
     {1},
     with({tw_named("x_ptr", tw_pointer(misaligned, TW_FLOAT32))}),
     "argument 'x_ptr' points to fp32 at an address that is no multiple of 4"},
    {"pointer without type",
     {1},
     with({tw_named("x_ptr", tw_pointer(memory, TW_DTYPE_NONE))}),
     "argument 'x_ptr' is a pointer without an element type"},
    {"pointer of unknown type",
     {1},
     with({tw_named("x_ptr", ofUnknownType())}),
     "argument 'x_ptr' is a pointer without an element type"},
    {"number of unknown type",
     {1},
     with({tw_named("n", numberOfUnknownType())}),
     "argument 'n' is of an element type that this library does not know"},
    {"pointer to another type",
     {1},
     with({tw_named("typed", tw_pointer(memory, TW_INT32))}),
     "argument 'typed' is annotated \"*fp32\", got a pointer to i32"},
    {"number for a pointer",
     {1},
     with({tw_named("typed", tw_int(7))}),
     "argument 'typed' is annotated \"*fp32\", got an integer"},
    {"pointer for a number",
     {1},
     with({tw_named("small", tw_pointer(memory, TW_INT8))}),
     "argument 'small' is annotated tl.int8, got a pointer to i8"},
    {"float for an integer",
     {1},
     with({tw_named("small", tw_float(1.5))}),
     "argument 'small' is of type i8, got a float"},
    {"too large for its type",
     {1},
     with({tw_named("small", tw_int(200))}),
     "argument 'small' is 200, which does not fit i8"},
    {"too small for its type",
     {1},
     with({tw_named("small", tw_int(-200))}),
     "argument 'small' is -200, which does not fit i8"},
    {"typed argument that does not fit",
     {1},
     with({tw_named("n", tw_typed(TW_UINT8, tw_int(-1)))}),
     "argument 'n' is -1, which does not fit u8"},
    {"missing constant", {1}, without("BLOCK"), "takes 6 arguments, got 4: missing 'BLOCK' (tl.constexpr)"},
    {"missing argument", {1}, without("n"), "takes 6 arguments, got 4: missing 'n'"},
    {"tensor for a constant",
     {1},
     with({tw_named("BLOCK", tw_pointer(memory, TW_FLOAT32))}),
     "argument 'BLOCK' is tl.constexpr and needs a value known when compiling, got a pointer"},
    {"constant without text",
     {1},
     with({tw_named("BLOCK", tw_constant(nullptr))}),
     "argument 'BLOCK' is a constant without text"},
    {"unknown name", {1}, plus(tw_named("BLOK", tw_int(3))), "has no parameter 'BLOK'"},
    {"given twice", {1}, plus(tw_named("n", tw_int(3))), "argument 'n' is given twice"},
    {"too many", {1}, std::vector<tw_argument>(7, tw_int(1)), "takes 6 arguments, got 7"},
    {"unknown kind",
     {1},
     with({tw_named("n", ofKind(42))}),
     "argument 'n' is of a kind that this library does not know"},
    {"null descriptor",
     {1},
     with({tw_named("n", tw_descriptor_argument(nullptr))}),
     "argument 'n' is a tensor descriptor that is null"},
    {"descriptor of rank 7",
     {1},
     with({tw_named("n", tw_descriptor_argument(&badDescriptor))}),
     "argument 'n' is a tensor descriptor of rank 7, expected 1 to 5"},
};

constexpr const char *kNames[] = {"reference", "cpu", "cuda"};

struct BadInput : testing::TestWithParam<tw_engine> {
  void SetUp() override {
    if (tw_device_count(GetParam()) == 0)
      GTEST_SKIP() << "this machine has no such device";
  }
};

TEST_P(BadInput, IsALaunchErrorThatNamesKernelAndArgument) {
  auto takes = Kernel::fromSource(kTakes);
  const tw_device device{GetParam(), 0};
  for (const Row &row : kRows) {
    if (GetParam() == TW_ENGINE_CUDA && !row.message && std::string_view(row.name) == "fine")
      continue; // its memory is the host's
    std::iota(std::begin(memory), std::end(memory), 0.0f);
    const tw_status status = tw_kernel_launch(takes.get(), device, nullptr, row.grid.data(), row.grid.size(),
                                              row.arguments.data(), row.arguments.size(), nullptr);
    if (!row.message) {
      EXPECT_EQ(status, TW_OK) << row.name << ": " << tw_last_error();
      continue;
    }
    EXPECT_EQ(status, TW_ERROR_LAUNCH) << row.name << ": " << (status == TW_OK ? "launched" : tw_last_error());
    const std::string message = tw_last_error();
    EXPECT_TRUE(message.starts_with("kernel 'takes'")) << row.name << ": " << message;
    EXPECT_NE(message.find(row.message), std::string::npos) << row.name << ": " << message;
  }
  if (GetParam() != TW_ENGINE_CUDA)
    EXPECT_EQ(takes.compileCount(), 2u); // with x_ptr of memory, and null: n is 5 and 0
}

TEST(BadDevice, IsALaunchErrorThatNamesTheKernel) {
  auto takes = Kernel::fromSource(kTakes);
  const std::vector<tw_argument> arguments = with({});
  const int64_t grid[] = {1};
  EXPECT_EQ(tw_kernel_launch(takes.get(), {7, 0}, nullptr, grid, 1, arguments.data(), arguments.size(), nullptr),
            TW_ERROR_LAUNCH);
  EXPECT_STREQ(tw_last_error(), "kernel 'takes': device of unknown engine 7");
  EXPECT_EQ(tw_kernel_launch(takes.get(), {TW_ENGINE_CUDA, 99}, nullptr, grid, 1, arguments.data(), arguments.size(),
                             nullptr),
            TW_ERROR_LAUNCH);
  EXPECT_TRUE(std::string_view(tw_last_error()).starts_with("kernel 'takes': ")) << tw_last_error();
}

TEST_P(BadInput, NullHandlesInC) {
  auto takes = Kernel::fromSource(kTakes);
  const tw_device device{GetParam(), 0};
  const int64_t grid[] = {1};
  const tw_argument arguments[] = {tw_int(1)};
  EXPECT_EQ(tw_kernel_launch(nullptr, device, nullptr, grid, 1, arguments, 1, nullptr), TW_ERROR_LAUNCH);
  EXPECT_STREQ(tw_last_error(), "tw_kernel_launch needs a kernel, got a null pointer");
  EXPECT_EQ(tw_kernel_launch(takes.get(), device, nullptr, nullptr, 1, arguments, 1, nullptr), TW_ERROR_LAUNCH);
  EXPECT_STREQ(tw_last_error(), "kernel 'takes': the grid is a null pointer");
  EXPECT_EQ(tw_kernel_launch(takes.get(), device, nullptr, grid, 1, nullptr, 1, nullptr), TW_ERROR_LAUNCH);
  EXPECT_STREQ(tw_last_error(), "kernel 'takes': the arguments are a null pointer");
}

// The same through C++: exceptions with the same texts.
TEST_P(BadInput, IsThrownInCpp) {
  auto takes = Kernel::fromSource(kTakes);
  const Device device(kNames[GetParam()]);
  Tensor x(DType::Float32, {64}, device), whole(DType::Int32, {64}, device), none(DType::Float32, {0}, device);
  auto message = [&](auto launch) -> std::string {
    try {
      launch();
    } catch (const LaunchError &error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message([&] { takes[-1](x, 5, 3, x, 16); }), "kernel 'takes': grid dimension 0 is -1, expected 0 or more");
  EXPECT_EQ(message([&] { takes[1](x, 5, 3, whole, 16); }),
            "kernel 'takes': argument 'typed' is annotated \"*fp32\", got a pointer to i32");
  EXPECT_EQ(message([&] { takes[1](x, 5, 3, x); }),
            "kernel 'takes' takes 6 arguments, got 4: missing 'BLOCK' (tl.constexpr)");
  EXPECT_EQ(message([&] { takes[1](x, 5, 3, x, x); }),
            "kernel 'takes': argument 'BLOCK' is tl.constexpr and needs a value known when compiling, got a pointer");
  EXPECT_EQ(message([&] { takes[1].on(device)(reinterpret_cast<float *>(misaligned), 5, 3, x, 16); }),
            "kernel 'takes': argument 'x_ptr' points to fp32 at an address that is no multiple of 4");
  takes[1](none, 0, 3, none, 16); // nothing is touched
  takes[0](none, 5, 3, x, 16);
}

// A tensor without elements may be given as long as nothing of it is touched; that is known only
// when it happens, on any thread.
TEST(EmptyTensor, TouchedIsALaunchErrorThatNamesItAndTheProgram) {
  auto copy = Kernel::fromSource("import triton\nimport triton.language as tl\n\n@triton.jit\n"
                                 "def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
                                 "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                                 "    x = tl.load(x_ptr + at, mask=at < n)\n"
                                 "    tl.store(y_ptr + at, x, mask=at < n)\n",
                                 "copy", "copy.py");
  Tensor none(DType::Float32, {0}), x = Tensor::from(std::vector<float>(4096, 1.f)), y = Tensor::like(x);
  auto message = [&](const Tensor &from, const Tensor &to, int programs, int n) -> std::string {
    try {
      copy[programs](from, to, n, "BLOCK"_a = 16);
    } catch (const LaunchError &error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(message(none, y, 1, 3),
            "kernel 'copy': argument 'x_ptr' has no elements, and the kernel touches it: copy.py:7:9, in program "
            "(0, 0, 0); leave out by a mask what is not there");
  EXPECT_EQ(message(none, none, 1, 0), "nothing was thrown");
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(
        std::string_view(message(x, none, 256, 4096))
            .starts_with("kernel 'copy': argument 'y_ptr' has no elements, and the kernel touches it: copy.py:8:"));
    EXPECT_TRUE(
        std::string_view(message(none, none, 256, 4096))
            .starts_with("kernel 'copy': arguments 'x_ptr', 'y_ptr' have no elements, and the kernel touches one"));
  }
  EXPECT_EQ(message(x, y, 256, 4096), "nothing was thrown");
  EXPECT_EQ(y.toVector<float>(), std::vector<float>(4096, 1.f));
}

INSTANTIATE_TEST_SUITE_P(Engines, BadInput, testing::Values(TW_ENGINE_REFERENCE, TW_ENGINE_CPU, TW_ENGINE_CUDA),
                         [](const auto &info) { return info.param == TW_ENGINE_CUDA ? "gpu" : kNames[info.param]; });

} // namespace
