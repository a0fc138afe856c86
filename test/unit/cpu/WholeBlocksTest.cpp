// Ops over whole blocks, CPU engine against reference engine: shapes, gathers, scans, histograms,
// atomics.
#include "CpuHarness.h"
#include "engines/RunKernel.h"

#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

/// Runs `body` on both engines: it has %in, a block of 96 i32 in [0, 12), and stores its result
/// %out of `elements` i32.
void compareOnIntegers(const std::string &body, const std::string &shape, size_t elements) {
  SCOPED_TRACE(body);
  std::string flat = "tensor<" + std::to_string(elements) + "x";
  std::string text = R"(
func.func @kernel(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range 0 to 96 : tensor<96xi32>
  %ps = tile.splat %p : tensor<96x!tile.ptr<i32>>
  %at = tile.ptr_add %ps, %r : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
  %in = tile.load %at : tensor<96x!tile.ptr<i32>> -> tensor<96xi32>
  %qs = tile.splat %q : tensor<96x!tile.ptr<i32>>
)" + body;
  if (elements) {
    if (shape != std::to_string(elements))
      text += "  %flat = tile.reshape %out : tensor<" + shape + "xi32> -> " + flat + "i32>\n";
    text += "  %ro = tile.range 0 to " + std::to_string(elements) + " : " + flat +
            "i32>\n  %qo = tile.splat %q : " + flat + "!tile.ptr<i32>>\n" + "  %to = tile.ptr_add %qo, %ro : " + flat +
            "!tile.ptr<i32>>, " + flat + "i32>\n  tile.store %to, " +
            (shape != std::to_string(elements) ? "%flat" : "%out") + " : " + flat + "!tile.ptr<i32>>, " + flat +
            "i32>\n";
  }
  text += "  return\n}\n";
  std::mt19937 random(3);
  std::vector<int32_t> input(96), expected(256, 5), actual(256, 5);
  for (int32_t &value : input)
    value = int32_t(random() % 12);
  auto slots = [&](std::vector<int32_t> &output) {
    return std::vector<uint64_t>{reinterpret_cast<uint64_t>(input.data()), reinterpret_cast<uint64_t>(output.data())};
  };
  auto program = engines::loadKernel(text);
  ASSERT_TRUE(program);
  ASSERT_TRUE(bool(program->launch(slots(expected), {{1, 1, 1}}, nullptr)));
  CompiledKernel kernel(text);
  ASSERT_TRUE(bool(kernel));
  kernel.runSlots({1, 1, 1}, slots(actual));
  EXPECT_EQ(actual, expected);
}

TEST(CpuWholeBlocks, ReshapeAndPermute) {
  compareOnIntegers(R"(
  %x = tile.reshape %in : tensor<96xi32> -> tensor<4x24xi32>
  %y = tile.permute %x by [1, 0] : tensor<4x24xi32> -> tensor<24x4xi32>
  %out = arith.addi %y, %y : tensor<24x4xi32>
)",
                    "24x4", 96);
  compareOnIntegers(R"(
  %x = tile.reshape %in : tensor<96xi32> -> tensor<2x6x8xi32>
  %y = tile.permute %x by [2, 0, 1] : tensor<2x6x8xi32> -> tensor<8x2x6xi32>
  %z = tile.reshape %y : tensor<8x2x6xi32> -> tensor<16x6xi32>
  %out = tile.permute %z by [1, 0] : tensor<16x6xi32> -> tensor<6x16xi32>
)",
                    "6x16", 96);
}

TEST(CpuWholeBlocks, JoinAndSplit) {
  compareOnIntegers(R"(
  %x = tile.join %in, %r : tensor<96xi32> -> tensor<96x2xi32>
  %d = arith.addi %x, %x : tensor<96x2xi32>
  %a, %b = tile.split %d : tensor<96x2xi32> -> tensor<96xi32>
  %out = arith.subi %b, %a : tensor<96xi32>
)",
                    "96", 96);
  compareOnIntegers("  %out = tile.join %in, %r : tensor<96xi32> -> tensor<96x2xi32>\n", "96x2", 192);
}

TEST(CpuWholeBlocks, Gather) {
  // Indices from -4 to 7 into an axis of 6: some outside.
  compareOnIntegers(R"(
  %c4 = arith.constant dense<4> : tensor<96xi32>
  %i = arith.subi %in, %c4 : tensor<96xi32>
  %index = tile.reshape %i : tensor<96xi32> -> tensor<16x6xi32>
  %source = tile.reshape %r : tensor<96xi32> -> tensor<16x6xi32>
  %out = tile.gather %source[%index] along 1 : tensor<16x6xi32>, tensor<16x6xi32> -> tensor<16x6xi32>
)",
                    "16x6", 96);
  compareOnIntegers(R"(
  %index = tile.reshape %in : tensor<96xi32> -> tensor<16x6xi32>
  %source = tile.reshape %r : tensor<96xi32> -> tensor<16x6xi32>
  %out = tile.gather %source[%index] along 0 : tensor<16x6xi32>, tensor<16x6xi32> -> tensor<16x6xi32>
)",
                    "16x6", 96);
}

TEST(CpuWholeBlocks, Scan) {
  for (std::string along : {"0", "1", "0 reverse", "1 reverse"})
    compareOnIntegers(R"(
  %x = tile.reshape %in : tensor<96xi32> -> tensor<8x12xi32>
  %out = tile.scan(%x) along )" +
                          along + R"( {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  } : (tensor<8x12xi32>) -> tensor<8x12xi32>
)",
                      "8x12", 96);
}

TEST(CpuWholeBlocks, Histogram) {
  compareOnIntegers("  %out = tile.histogram %in : tensor<96xi32> -> tensor<8xi32>\n", "8", 8);
  compareOnIntegers(R"(
  %c50 = arith.constant dense<50> : tensor<96xi32>
  %on = arith.cmpi slt, %r, %c50 : tensor<96xi32>
  %out = tile.histogram %in mask %on : tensor<96xi1> : tensor<96xi32> -> tensor<16xi32>
)",
                    "16", 16);
}

TEST(CpuWholeBlocks, Atomics) {
  for (std::string kind : {"add", "max_s", "min_u", "xor", "xchg"})
    compareOnIntegers(
        R"(
  %where = tile.ptr_add %qs, %r : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
  %c40 = arith.constant dense<40> : tensor<96xi32>
  %on = arith.cmpi sge, %r, %c40 : tensor<96xi32>
  %old = tile.atomic_rmw )" +
            kind +
            R"( %where, %in mask %on : tensor<96xi1> : tensor<96x!tile.ptr<i32>>, tensor<96xi32> -> tensor<96xi32>
  %c100 = arith.constant dense<100> : tensor<96xi32>
  %after = tile.ptr_add %where, %c100 : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
  tile.store %after, %old : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
)",
        "", 0);
  // Many lanes on few addresses, and a compare-and-swap.
  compareOnIntegers(R"(
  %where = tile.ptr_add %qs, %in : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
  %old = tile.atomic_rmw add %where, %in : tensor<96x!tile.ptr<i32>>, tensor<96xi32> -> tensor<96xi32>
  %five = arith.constant dense<5> : tensor<96xi32>
  %at2 = tile.ptr_add %qs, %r : tensor<96x!tile.ptr<i32>>, tensor<96xi32>
  %swapped = tile.atomic_cas %at2, %five, %r : tensor<96x!tile.ptr<i32>> -> tensor<96xi32>
)",
                    "", 0);
}

} // namespace
