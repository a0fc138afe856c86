// Launches whose types or constants only the kernel's text refuses: the launch's error, which names
// them, unless the text is wrong anyway.
#include "tilewise/report.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

alignas(64) char memory[4096];

tw_argument pointer(const char *name, tw_dtype type) { return tw_named(name, tw_pointer(memory, type)); }
tw_argument integer(const char *name, int64_t value) { return tw_named(name, tw_int(value)); }
tw_argument number(const char *name, double value) { return tw_named(name, tw_float(value)); }

tw_descriptor descriptorOf(int64_t block) {
  tw_descriptor made = {};
  made.base = memory;
  made.dtype = TW_INT32;
  made.rank = 1;
  made.shape[0] = 64;
  made.strides[0] = 1;
  made.block_shape[0] = block;
  return made;
}
const tw_descriptor kDescriptor = descriptorOf(16), kDescriptorOf12 = descriptorOf(12);

struct Row {
  const char *name;
  const char *parameters, *body; ///< Lines 6 and following of types.py.
  std::vector<tw_argument> arguments;
  const char *blame; ///< After "kernel 'k': "; null: the text is at fault.
  const char *error; ///< Of the text.
};

const std::vector<Row> kRows = {
    {"integers for a function of floats",
     "x_ptr, n, BLOCK: tl.constexpr",
     "    at = tl.arange(0, BLOCK)\n    tl.store(x_ptr + at, tl.exp(tl.load(x_ptr + at)), mask=at < n)\n",
     {pointer("x_ptr", TW_INT32), integer("n", 5), integer("BLOCK", 16)},
     "argument 'x_ptr' is a pointer to i32; the kernel compiles with a pointer to fp32",
     "types.py:8:"},
    {"a float for an offset",
     "x_ptr, n, start",
     "    tl.store(x_ptr + start, n)\n",
     {pointer("x_ptr", TW_INT32), integer("n", 5), number("start", 2.5)},
     "argument 'start' is a number of type fp32; the kernel compiles with a number of type i32",
     "types.py:7:"},
    {"a float for the end of a range",
     "x_ptr, n",
     "    for i in range(n):\n        tl.store(x_ptr + i, i)\n",
     {pointer("x_ptr", TW_INT32), number("n", 2.5)},
     "argument 'n' is a number of type fp32; the kernel compiles with a number of type i32",
     "types.py:7:"},
    {"a number for a tensor",
     "x_ptr, out_ptr",
     "    tl.store(out_ptr, tl.load(x_ptr))\n",
     {integer("x_ptr", 7), pointer("out_ptr", TW_FLOAT32)},
     "argument 'x_ptr' is a number of type i32; the kernel compiles with a pointer to fp32",
     "types.py:7:"},
    {"a one for a tensor",
     "x_ptr, out_ptr",
     "    tl.store(out_ptr, tl.load(x_ptr))\n",
     {integer("x_ptr", 1), pointer("out_ptr", TW_FLOAT32)},
     "argument 'x_ptr' is 1; the kernel compiles with a pointer to fp32",
     "types.py:7:"},
    {"nothing for a tensor, which a constant says is there",
     "x_ptr, bias_ptr, HAS_BIAS: tl.constexpr",
     "    x = tl.load(x_ptr)\n    if HAS_BIAS:\n        x += tl.load(bias_ptr)\n    tl.store(x_ptr, x)\n",
     {pointer("x_ptr", TW_FLOAT32), tw_named("bias_ptr", tw_none()), tw_named("HAS_BIAS", tw_bool(true))},
     "argument 'bias_ptr' is None; the kernel compiles with a pointer to fp32",
     "types.py:9:"},
    {"operands of a dot that differ",
     "a_ptr, b_ptr, c_ptr",
     "    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]\n"
     "    tl.store(c_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i)))\n",
     {pointer("a_ptr", TW_FLOAT16), pointer("b_ptr", TW_FLOAT32), pointer("c_ptr", TW_FLOAT32)},
     "argument 'a_ptr' is a pointer to fp16 and argument 'b_ptr' is a pointer to fp32; the kernel compiles with a "
     "pointer to fp32 for 'a_ptr' or a pointer to fp16 for 'b_ptr'",
     "types.py:8:"},
    {"both operands of a dot, beside an index",
     "a_ptr, b_ptr, c_ptr, index_ptr",
     "    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :] + tl.load(index_ptr)\n"
     "    tl.store(c_ptr + i, tl.dot(tl.load(a_ptr + i), tl.load(b_ptr + i)))\n",
     {pointer("a_ptr", TW_INT32), pointer("b_ptr", TW_INT32), pointer("c_ptr", TW_FLOAT32),
      pointer("index_ptr", TW_INT32)},
     "argument 'a_ptr' is a pointer to i32 and argument 'b_ptr' is a pointer to i32; the kernel compiles with a "
     "pointer "
     "to fp32 for 'a_ptr' and a pointer to fp32 for 'b_ptr'",
     "types.py:8:"},
    {"two arguments in each other's place",
     "x_ptr, n",
     "    at = tl.arange(0, 16)\n    x = tl.load(x_ptr + at, mask=at < n)\n    tl.store(x_ptr + at, x * n)\n",
     {integer("x_ptr", 5), pointer("n", TW_FLOAT32)},
     "argument 'x_ptr' is a number of type i32 and argument 'n' is a pointer to fp32; the kernel compiles with a "
     "pointer "
     "to fp32 for 'x_ptr' and a number of type i32 for 'n'",
     "types.py:8:"},
    {"a block size that is no power of two",
     "x_ptr, BLOCK: tl.constexpr",
     "    at = tl.arange(0, BLOCK)\n    tl.store(x_ptr + at, at)\n",
     {pointer("x_ptr", TW_INT32), integer("BLOCK", 100)},
     "argument 'BLOCK' is 100; the kernel compiles with 128",
     "types.py:7:"},
    {"a float for a block size",
     "x_ptr, BLOCK: tl.constexpr",
     "    at = tl.arange(0, BLOCK)\n    tl.store(x_ptr + at, at)\n",
     {pointer("x_ptr", TW_INT32), number("BLOCK", 64)},
     "argument 'BLOCK' is 64.0; the kernel compiles with 16",
     "types.py:7:"},
    {"text for a block size",
     "x_ptr, BLOCK: tl.constexpr",
     "    at = tl.arange(0, BLOCK)\n    tl.store(x_ptr + at, at)\n",
     {pointer("x_ptr", TW_INT32), tw_named("BLOCK", tw_constant("'64'"))},
     "argument 'BLOCK' is '64'; the kernel compiles with 64",
     "types.py:7:"},
    {"what the kernel asserts",
     "x_ptr, BLOCK: tl.constexpr",
     "    tl.static_assert(BLOCK >= 32, 'a block of 32 at least')\n    tl.store(x_ptr, BLOCK)\n",
     {pointer("x_ptr", TW_INT32), integer("BLOCK", 16)},
     "argument 'BLOCK' is 16; the kernel compiles with 32",
     "a block of 32 at least"},
    {"of a tuple",
     "x_ptr, *more",
     "    tl.store(x_ptr, tl.exp(tl.load(more[1])))\n",
     {tw_pointer(memory, TW_FLOAT32), tw_int(3), tw_pointer(memory, TW_INT32)},
     "argument 'more', part 1, is a pointer to i32; the kernel compiles with a pointer to fp32",
     "types.py:7:"},
    {"text for a block size",
     "x_ptr, BLOCK: tl.constexpr",
     "    tl.store(x_ptr + tl.arange(0, BLOCK), 1)\n",
     {pointer("x_ptr", TW_INT32), tw_named("BLOCK", tw_constant("'large'"))},
     "argument 'BLOCK' is 'large'; the kernel compiles with 16",
     "types.py:7:"},
    {"what is no constant",
     "x_ptr, BLOCK: tl.constexpr",
     "    tl.store(x_ptr + tl.arange(0, BLOCK), 1)\n",
     {pointer("x_ptr", TW_INT32), tw_named("BLOCK", tw_constant("16, ("))},
     "argument 'BLOCK' is 16, (, which no kernel can take",
     "types.py:6:"},
    {"nothing for an annotated tensor",
     "x_ptr: '*fp16'",
     "    tl.store(x_ptr, 1)\n",
     {tw_named("x_ptr", tw_none())},
     "argument 'x_ptr' is None; the kernel compiles with a pointer to fp16",
     "types.py:7:"},
    {"a tensor for its descriptor",
     "x, y_ptr",
     "    tl.store(y_ptr, tl.sum(x.load([0])))\n",
     {pointer("x", TW_INT32), pointer("y_ptr", TW_INT32)},
     "argument 'x' is a pointer to i32; the kernel compiles with a descriptor of i32[16]",
     "types.py:7:"},
    {"a descriptor for a tensor",
     "x_ptr, y_ptr",
     "    tl.store(y_ptr, tl.load(x_ptr))\n",
     {tw_named("x_ptr", tw_descriptor_argument(&kDescriptor)), pointer("y_ptr", TW_INT32)},
     "argument 'x_ptr' is a descriptor of i32[16]; the kernel compiles with a pointer to i32",
     "types.py:7:"},
    {"a descriptor that no kernel takes",
     "x, y_ptr",
     "    tl.store(y_ptr, tl.sum(x.load([0])))\n",
     {tw_named("x", tw_descriptor_argument(&kDescriptorOf12)), pointer("y_ptr", TW_INT32)},
     "argument 'x' is a descriptor of i32[12], which no kernel can take",
     "types.py:6:"},
    // A sum that only starts as another float is a matter of what was given.
    {"a sum of another float",
     "x_ptr, n",
     "    total = 0.0\n    for i in range(n):\n        total += tl.load(x_ptr + i)\n    tl.store(x_ptr, total)\n",
     {pointer("x_ptr", TW_FLOAT64), integer("n", 5)},
     "argument 'x_ptr' is a pointer to fp64; the kernel compiles with a pointer to fp32",
     "types.py:9:"},
    // Here the text is wrong whatever is given.
    {"a name that is not defined",
     "x_ptr, BLOCK: tl.constexpr",
     "    tl.store(x_ptr, missing + BLOCK)\n",
     {pointer("x_ptr", TW_INT32), integer("BLOCK", 16)},
     nullptr,
     "types.py:7:"},
    {"a mistake in a branch that another constant turns off",
     "x_ptr, WITH: tl.constexpr",
     "    if WITH:\n        tl.store(x_ptr, missing)\n",
     {pointer("x_ptr", TW_INT32), tw_named("WITH", tw_bool(true))},
     nullptr,
     "types.py:8:"},
    {"a constant of the text",
     "x_ptr, BLOCK: tl.constexpr",
     "    tl.store(x_ptr + tl.arange(0, 100), BLOCK)\n",
     {pointer("x_ptr", TW_INT32), integer("BLOCK", 16)},
     nullptr,
     "types.py:7:"},
    {"a sum of floats that starts as an int",
     "x_ptr, n",
     "    total = 0\n    for i in range(n):\n        total += tl.load(x_ptr + i)\n    tl.store(x_ptr, total)\n",
     {pointer("x_ptr", TW_FLOAT32), integer("n", 5)},
     nullptr,
     "start it as a float, as in 'total = 0.0'"},
    {"a test of a block",
     "x_ptr, BLOCK: tl.constexpr",
     "    x = tl.load(x_ptr + tl.arange(0, BLOCK))\n    if x > 0:\n        tl.store(x_ptr, 1.0)\n",
     {pointer("x_ptr", TW_FLOAT32), integer("BLOCK", 16)},
     nullptr,
     "'if' needs a scalar test, got int1[16]"},
    {"a list that grows in a loop of the kernel",
     "x_ptr, n",
     "    rows = []\n    for i in range(n):\n        rows.append(tl.load(x_ptr + i))\n    tl.store(x_ptr, rows[0])\n",
     {pointer("x_ptr", TW_FLOAT32), integer("n", 5)},
     nullptr,
     "types.py:9:9: error: a list made before a runtime loop or branch cannot change inside it"},
    {"an annotation that the text does not agree with",
     "x_ptr: '*i32', n",
     "    tl.store(x_ptr, tl.exp(tl.load(x_ptr)))\n",
     {pointer("x_ptr", TW_INT32), integer("n", 16)},
     nullptr,
     "types.py:7:"},
};

Kernel kernelOf(const Row &row) {
  return Kernel::fromSource(std::string("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(") +
                                row.parameters + "):\n" + row.body,
                            "k", "types.py");
}

struct ArgumentTypes : testing::TestWithParam<tw_engine> {};

TEST_P(ArgumentTypes, AreNamedWhereOthersWouldCompile) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.name);
    Kernel kernel = kernelOf(row);
    const int64_t grid[] = {1};
    const tw_status status = tw_kernel_launch(kernel.get(), {GetParam(), 0}, nullptr, grid, 1, row.arguments.data(),
                                              row.arguments.size(), nullptr);
    const std::string message = status == TW_OK ? "launched" : tw_last_error();
    EXPECT_EQ(status, row.blame ? TW_ERROR_LAUNCH : TW_ERROR_KERNEL) << message;
    EXPECT_NE(message.find(row.error), std::string::npos) << message;
    if (row.blame)
      EXPECT_EQ(message.substr(0, message.find('\n')), std::string("kernel 'k': ") + row.blame);
    else
      EXPECT_TRUE(message.starts_with("types.py:")) << message;
    // Piece by piece too: the error, and a note with the arguments.
    ASSERT_GE(tw_last_diagnostic_count(), 1u);
    EXPECT_EQ(tw_last_diagnostic(0).severity, unsigned(TW_SEVERITY_ERROR));
    const tw_diagnostic last = tw_last_diagnostic(tw_last_diagnostic(0).notes);
    EXPECT_EQ(std::strncmp(last.message, "kernel 'k': argument", 20) == 0, row.blame != nullptr) << last.message;
    EXPECT_EQ(kernel.compileCount(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ArgumentTypes, testing::Values(TW_ENGINE_REFERENCE, TW_ENGINE_CPU),
                         [](const auto &info) { return info.param == TW_ENGINE_CPU ? "cpu" : "reference"; });

TEST(ArgumentTypesInCpp, AreALaunchErrorAndTheTextsFaultAKernelError) {
  auto rounded = Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                                    "def rounded(x_ptr):\n    tl.store(x_ptr, tl.floor(tl.load(x_ptr)))\n");
  Tensor whole(DType::Int32, {4}), real(DType::Float32, {4});
  EXPECT_THROW(rounded[1](whole), LaunchError);
  rounded[1](real);
  // Who asks for a stage names the types: there is no launch.
  EXPECT_THROW(rounded.emit("tile", "*i32"), KernelError);
  auto misspelt = Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                                     "def misspelt(x_ptr):\n    tl.store(x_ptr, tl.flor(tl.load(x_ptr)))\n");
  EXPECT_THROW(misspelt[1](real), KernelError);
}

} // namespace
