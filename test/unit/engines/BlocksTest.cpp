// Ops over whole blocks: shapes, dots, reductions, scans, histograms, gathers and atomics.
#include "engines/RunKernel.h"
#include "support/FloatFormats.h"

#include <cmath>
#include <numeric>

namespace tilewise::engines {
namespace {

class BlockOps : public OnEngine {};
ON_EACH_ENGINE(BlockOps);

/// elementwiseKernel over flat blocks of different lengths: loads %0 of `in` elements, stores %r of
/// `out`.
template <typename Out, typename In>
std::vector<Out> runBlock(const std::string &inType, const std::string &outType, size_t outCount,
                          const std::string &body, std::vector<In> in) {
  std::string n = std::to_string(in.size()), m = std::to_string(outCount);
  std::string inBlock = "tensor<" + n + "x!tile.ptr<" + inType + ">>",
              outBlock = "tensor<" + m + "x!tile.ptr<" + outType + ">>";
  std::string text =
      "func.func @kernel(%p: !tile.ptr<" + inType + ">, %q: !tile.ptr<" + outType + ">) attributes {tile.kernel} {\n";
  text += "  %ri = tile.range 0 to " + n + " : tensor<" + n + "xi32>\n  %ro = tile.range 0 to " + m + " : tensor<" + m +
          "xi32>\n";
  text += "  %ps = tile.splat %p : " + inBlock + "\n  %pp = tile.ptr_add %ps, %ri : " + inBlock + ", tensor<" + n +
          "xi32>\n";
  text += "  %qs = tile.splat %q : " + outBlock + "\n  %qq = tile.ptr_add %qs, %ro : " + outBlock + ", tensor<" + m +
          "xi32>\n";
  text += "  %0 = tile.load %pp : " + inBlock + " -> tensor<" + n + "x" + inType + ">\n" + body;
  text += "\n  tile.store %qq, %r : " + outBlock + ", tensor<" + m + "x" + outType + ">\n  return\n}\n";
  std::vector<Out> out(outCount);
  runKernel(text, {1, 1, 1}, in, out);
  return out;
}

std::vector<int32_t> iota(size_t count) {
  std::vector<int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_P(BlockOps, BroadcastStretchesEachDimension) {
  auto got = runBlock<int32_t>("i32", "i32", 24, R"(
  %x = tile.reshape %0 : tensor<3xi32> -> tensor<1x3x1xi32>
  %y = tile.broadcast %x : tensor<1x3x1xi32> -> tensor<2x3x4xi32>
  %r = tile.reshape %y : tensor<2x3x4xi32> -> tensor<24xi32>)",
                               iota(3));
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(got[i], i / 4 % 3);
}

TEST_P(BlockOps, PermuteMovesDimensions) {
  auto got = runBlock<int32_t>("i32", "i32", 24, R"(
  %x = tile.reshape %0 : tensor<24xi32> -> tensor<2x3x4xi32>
  %y = tile.permute %x by [2, 0, 1] : tensor<2x3x4xi32> -> tensor<4x2x3xi32>
  %r = tile.reshape %y : tensor<4x2x3xi32> -> tensor<24xi32>)",
                               iota(24));
  for (int a = 0, at = 0; a < 4; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 3; ++c, ++at)
        EXPECT_EQ(got[at], b * 12 + c * 4 + a);
}

TEST_P(BlockOps, JoinAndSplitAreInverse) {
  auto joined = runBlock<int32_t>("i32", "i32", 8, R"(
  %c = arith.constant dense<10> : tensor<4xi32>
  %y = arith.addi %0, %c : tensor<4xi32>
  %j = tile.join %0, %y : tensor<4xi32> -> tensor<4x2xi32>
  %r = tile.reshape %j : tensor<4x2xi32> -> tensor<8xi32>)",
                                  iota(4));
  EXPECT_EQ(joined, (std::vector<int32_t>{0, 10, 1, 11, 2, 12, 3, 13}));
  auto split = runBlock<int32_t>("i32", "i32", 4, R"(
  %x = tile.reshape %0 : tensor<8xi32> -> tensor<4x2xi32>
  %a, %b = tile.split %x : tensor<4x2xi32> -> tensor<4xi32>
  %r = arith.subi %b, %a : tensor<4xi32>)",
                                 joined);
  EXPECT_EQ(split, (std::vector<int32_t>{10, 10, 10, 10}));
}

TEST_P(BlockOps, GatherOutsideGivesZero) {
  auto got = runBlock<int32_t>("i32", "i32", 8, R"(
  %x = tile.reshape %0 : tensor<8xi32> -> tensor<2x4xi32>
  %g = tile.gather %x[%x] along 1 : tensor<2x4xi32>, tensor<2x4xi32> -> tensor<2x4xi32>
  %r = tile.reshape %g : tensor<2x4xi32> -> tensor<8xi32>)",
                               std::vector<int32_t>{3, 0, 4, -1, 1, 1, 2, 100});
  EXPECT_EQ(got, (std::vector<int32_t>{-1, 3, 0, 0, 1, 1, 2, 0}));
}

TEST_P(BlockOps, ReduceAlongEachAxis) {
  // Extents that are no powers of two: the engine never assumes them.
  for (int axis : {0, 1, 2}) {
    int shape[3] = {3, 5, 7}, rest[2];
    for (int d = 0, at = 0; d < 3; ++d)
      if (d != axis)
        rest[at++] = shape[d];
    std::string reduced = std::to_string(rest[0]) + "x" + std::to_string(rest[1]),
                flat = std::to_string(rest[0] * rest[1]);
    auto got = runBlock<int32_t>("i32", "i32", rest[0] * rest[1],
                                 R"(
  %x = tile.reshape %0 : tensor<105xi32> -> tensor<3x5x7xi32>
  %s = tile.reduce(%x) along )" + std::to_string(axis) +
                                     R"( {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<3x5x7xi32>) -> tensor<)" +
                                     reduced + R"(xi32>
  %r = tile.reshape %s : tensor<)" + reduced +
                                     "xi32> -> tensor<" + flat + "xi32>",
                                 iota(105));
    std::vector<int32_t> expected(rest[0] * rest[1]);
    for (int i = 0, at = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 7; ++k, ++at)
          expected[axis == 0 ? j * 7 + k : axis == 1 ? i * 7 + k : i * 5 + j] += at;
    EXPECT_EQ(got, expected) << "axis " << axis;
  }
}

TEST_P(BlockOps, ReduceOfTwoBlocksFindsTheFirstMaximum) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float((i * 37) % 501);
  auto first = runBlock<int32_t>("f32", "i32", 1, R"(
  %m, %at = tile.reduce(%0, %ri) along 0 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %more = arith.cmpf ogt, %a, %b : f32
    %same = arith.cmpf oeq, %a, %b : f32
    %before = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %same, %before : i1
    %left = arith.ori %more, %tie : i1
    %v = arith.select %left, %a, %b : f32
    %k = arith.select %left, %i, %j : i32
    tile.yield %v, %k : f32, i32
  } : (tensor<1000xf32>, tensor<1000xi32>) -> (f32, i32)
  %r = tile.splat %at : tensor<1xi32>)",
                                 values);
  EXPECT_EQ(first[0], std::max_element(values.begin(), values.end()) - values.begin());
}

TEST_P(BlockOps, CombineRegionsMayBranchAndUseScalarsOfOutside) {
  // The scalar %limit is captured; with a branch the region runs lane by lane, without one on many
  // lanes: both give the clamped sum.
  for (bool branch : {false, true}) {
    std::string clamp = branch ? R"(
    %c = scf.if %big -> (i32) {
      scf.yield %limit : i32
    } else {
      scf.yield %s : i32
    })"
                               : "\n    %c = arith.select %big, %limit, %s : i32";
    auto got = runBlock<int32_t>("i32", "i32", 2,
                                 R"(
  %limit = arith.constant 1000 : i32
  %x = tile.reshape %0 : tensor<128xi32> -> tensor<2x64xi32>
  %r = tile.reduce(%x) along 1 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    %big = arith.cmpi sgt, %s, %limit : i32)" +
                                     clamp + R"(
    tile.yield %c : i32
  } : (tensor<2x64xi32>) -> tensor<2xi32>)",
                                 std::vector<int32_t>(128, 10));
    EXPECT_EQ(got, (std::vector<int32_t>{640, 640})) << branch;
    auto clamped = runBlock<int32_t>("i32", "i32", 1, R"(
  %limit = arith.constant 1000 : i32
  %s0 = tile.reduce(%0) along 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    %big = arith.cmpi sgt, %s, %limit : i32)" + clamp + R"(
    tile.yield %c : i32
  } : (tensor<128xi32>) -> i32
  %l2 = arith.addi %s0, %limit : i32
  %r = tile.splat %l2 : tensor<1xi32>)",
                                     std::vector<int32_t>(128, 10));
    EXPECT_EQ(clamped, (std::vector<int32_t>{2000})) << branch;
  }
}

TEST_P(BlockOps, ScanForwardAndBack) {
  for (bool reverse : {false, true}) {
    auto got = runBlock<int32_t>("i32", "i32", 24,
                                 R"(
  %x = tile.reshape %0 : tensor<24xi32> -> tensor<2x4x3xi32>
  %s = tile.scan(%x) along 1 )" + std::string(reverse ? "reverse" : "") +
                                     R"( {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<2x4x3xi32>) -> tensor<2x4x3xi32>
  %r = tile.reshape %s : tensor<2x4x3xi32> -> tensor<24xi32>)",
                                 iota(24));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 3; ++k) {
          int sum = 0;
          for (int l = reverse ? j : 0; l <= (reverse ? 3 : j); ++l)
            sum += i * 12 + l * 3 + k;
          EXPECT_EQ(got[i * 12 + j * 3 + k], sum) << reverse;
        }
  }
}

/// x -> m * x + b, one after the other: the order counts. Lines of neighbours, which are scanned in
/// vectors, and lines beside each other.
TEST_P(BlockOps, ScanOfMapsKeepsTheirOrder) {
  struct Case {
    int64_t rows, columns;
    int axis;
    bool reverse;
  };
  for (const Case &c : {Case{1, 96, 1, false}, Case{1, 64, 1, true}, Case{6, 16, 1, true}, Case{4, 24, 1, false},
                        Case{6, 16, 0, false}, Case{32, 3, 0, true}, Case{48, 2, 1, false}}) {
    SCOPED_TRACE(testing::Message() << c.rows << " x " << c.columns << " along " << c.axis << " " << c.reverse);
    const int64_t count = c.rows * c.columns;
    const std::string flat = "tensor<" + std::to_string(count) + "xi32>",
                      block = "tensor<" + std::to_string(c.rows) + "x" + std::to_string(c.columns) + "xi32>";
    auto got = runBlock<int32_t>(
        "i32", "i32", size_t(count),
        "  %m = tile.reshape %0 : " + flat + " -> " + block + "\n  %three = arith.constant dense<3> : " + block +
            "\n  %b = arith.muli %m, %three : " + block + "\n  %s:2 = tile.scan(%m, %b) along " +
            std::to_string(c.axis) + (c.reverse ? " reverse" : "") + R"( {
  ^bb0(%m0: i32, %b0: i32, %m1: i32, %b1: i32):
    %mm = arith.muli %m1, %m0 : i32
    %mb = arith.muli %m1, %b0 : i32
    %bb = arith.addi %mb, %b1 : i32
    tile.yield %mm, %bb : i32, i32
  } : ()" + block +
            ", " + block + ") -> (" + block + ", " + block + ")\n  %r = tile.reshape %s#1 : " + block + " -> " + flat,
        iota(size_t(count)));
    const int64_t lines = c.axis == 1 ? c.rows : c.columns, length = c.axis == 1 ? c.columns : c.rows;
    for (int64_t line = 0; line < lines; ++line) {
      uint32_t value = 0;
      for (int64_t step = 0; step < length; ++step) {
        const int64_t along = c.reverse ? length - 1 - step : step;
        const int64_t at = c.axis == 1 ? line * c.columns + along : along * c.columns + line;
        value = uint32_t(at) * value + 3 * uint32_t(at);
        EXPECT_EQ(uint32_t(got[size_t(at)]), value) << "at " << at;
      }
    }
  }
}

TEST_P(BlockOps, HistogramOfManyElements) {
  std::vector<int32_t> numbers;
  for (int i = 0; i < 512; ++i)
    numbers.push_back(i % 7 == 0 ? 5 : i % 40 - 3);
  auto got = runBlock<int32_t>("i32", "i32", 32, R"(
  %big = arith.constant dense<4294967296> : tensor<512xi64>
  %five = arith.constant dense<5> : tensor<512xi32>
  %wide = arith.extsi %0 : tensor<512xi32> to tensor<512xi64>
  %is = arith.cmpi eq, %0, %five : tensor<512xi32>
  %out = arith.addi %wide, %big : tensor<512xi64>
  %w = arith.select %is, %wide, %out : tensor<512xi1>, tensor<512xi64>
  %narrow = arith.trunci %0 : tensor<512xi32> to tensor<512xi8>
  %h = tile.histogram %w : tensor<512xi64> -> tensor<16xi32>
  %g = tile.histogram %narrow : tensor<512xi8> -> tensor<16xi32>
  %j = tile.join %h, %g : tensor<16xi32> -> tensor<16x2xi32>
  %r = tile.reshape %j : tensor<16x2xi32> -> tensor<32xi32>)",
                               numbers);
  for (int bin = 0; bin < 16; ++bin) {
    const int32_t expected = int32_t(std::count(numbers.begin(), numbers.end(), bin));
    EXPECT_EQ(got[2 * bin], bin == 5 ? expected : 0) << "64 bits, bin " << bin;
    EXPECT_EQ(got[2 * bin + 1], expected) << "8 bits, bin " << bin;
  }
}

TEST_P(BlockOps, HistogramCountsWhatFits) {
  auto got = runBlock<int32_t>("i32", "i32", 4, R"(
  %limit = arith.constant dense<100> : tensor<8xi32>
  %m = arith.cmpi ne, %0, %limit : tensor<8xi32>
  %r = tile.histogram %0 mask %m : tensor<8xi1> : tensor<8xi32> -> tensor<4xi32>)",
                               std::vector<int32_t>{0, 1, 1, 3, -1, 4, 100, 3});
  EXPECT_EQ(got, (std::vector<int32_t>{1, 2, 0, 2}));
}

TEST_P(BlockOps, DotWidensSmallFloatsAndWrapsIntegers) {
  // One row of f16 whose products need more than f16 and whose sum needs more than f32's 24 bits
  // along the way.
  std::vector<uint16_t> a = {encodeF16(4096.0f), encodeF16(1.0f), encodeF16(-4096.0f), encodeF16(0.125f)};
  auto got = runBlock<float>("f16", "f32", 1, R"(
  %x = tile.reshape %0 : tensor<4xf16> -> tensor<1x4xf16>
  %y = tile.reshape %0 : tensor<4xf16> -> tensor<4x1xf16>
  %zero = arith.constant dense<-33554432.0> : tensor<1x1xf32>
  %d = tile.dot %x, %y, %zero : tensor<1x4xf16>, tensor<4x1xf16> -> tensor<1x1xf32>
  %r = tile.reshape %d : tensor<1x1xf32> -> tensor<1xf32>)",
                             a);
  EXPECT_EQ(got[0], 1.015625f) << "16777216 + 1 + 16777216 + 1/64 - 33554432";
  std::vector<int8_t> bytes(64, -128);
  auto ints = runBlock<int32_t>("i8", "i32", 4, R"(
  %x = tile.reshape %0 : tensor<64xi8> -> tensor<2x32xi8>
  %y = tile.reshape %0 : tensor<64xi8> -> tensor<32x2xi8>
  %acc = arith.constant dense<2147483647> : tensor<2x2xi32>
  %d = tile.dot %x, %y, %acc : tensor<2x32xi8>, tensor<32x2xi8> -> tensor<2x2xi32>
  %r = tile.reshape %d : tensor<2x2xi32> -> tensor<4xi32>)",
                                bytes);
  EXPECT_EQ(ints, std::vector<int32_t>(4, INT32_MIN + 524287));
}

TEST_P(BlockOps, AtomicsOfOneAddressAddUp) {
  std::string text = R"(
func.func @count(%sum: !tile.ptr<i32>, %fsum: !tile.ptr<f32>, %max: !tile.ptr<i32>, %swap: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %c5 = arith.constant dense<5> : tensor<8xi32>
  %m = arith.cmpi slt, %i, %c5 : tensor<8xi32>
  %ps = tile.splat %sum : tensor<8x!tile.ptr<i32>>
  %old = tile.atomic_rmw add %ps, %i mask %m : tensor<8xi1> : tensor<8x!tile.ptr<i32>>, tensor<8xi32> -> tensor<8xi32>
  %half = arith.constant 0.5 : f32
  %fold = tile.atomic_rmw fadd %fsum, %half : !tile.ptr<f32>, f32 -> f32
  %pid = tile.program_id 0
  %mold = tile.atomic_rmw max_s %max, %pid : !tile.ptr<i32>, i32 -> i32
  %next = arith.addi %pid, %pid : i32
  %c1 = arith.constant 1 : i32
  %expected = arith.muli %pid, %c1 : i32
  %incremented = arith.addi %pid, %c1 : i32
  %was = tile.atomic_cas %swap, %expected, %incremented : !tile.ptr<i32> -> i32
  return
})";
  std::vector<int32_t> sum = {0}, max = {-5}, swap = {0};
  std::vector<float> fsum = {0};
  runKernel(text, {100, 1, 1}, sum, fsum, max, swap);
  EXPECT_EQ(sum[0], 1000);
  EXPECT_EQ(fsum[0], 50.0f);
  EXPECT_EQ(max[0], 99);
  EXPECT_EQ(swap[0], 100) << "programs run in order, so that each finds what the one before it left";
}

} // namespace
} // namespace tilewise::engines
