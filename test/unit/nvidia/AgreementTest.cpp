// Kernels lowered for an NVIDIA GPU and run by the thread simulator, against the reference engine
// on the same arguments.
#include "NvidiaTesting.h"
#include "TestRoot.h"
#include "ThreadSimulator.h"

#include "driver/Compile.h"
#include "reference/Reference.h"
#include "target/gpu/Gpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tilewise::nvidiatest {

namespace {

/// What a kernel is launched on: arrays of floats or ints, all of which it may write, and the
/// scalars between and behind them.
struct Launch {
  std::string file, kernel, signature;
  std::array<uint32_t, 3> grid;
  std::vector<std::variant<std::vector<float>, std::vector<int32_t>, int32_t, float>> arguments;
  /// Of an element's size; 0 asks for the same bits.
  double tolerance = 0;
  unsigned warps = 4;
  bool halves = false;          ///< Ints hold two halves each, and are compared as such.
  bool isSpecializedToo = true; ///< Also with warps of their own for the copies of its loops.
};

std::vector<float> some(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 1664525 + 1013904223;
    value = float(int32_t(seed >> 8) % 2001 - 1000) / 500.0f;
  }
  return values;
}

template <typename T> uint64_t slotOf(T &argument) {
  if constexpr (std::is_same_v<T, int32_t>)
    return uint64_t(int64_t(argument));
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(argument);
  else
    return uint64_t(uintptr_t(argument.data()));
}

/// Halves, two to an int.
std::vector<int32_t> someHalves(size_t count, uint32_t seed) {
  std::vector<int32_t> words(count / 2);
  std::vector<float> values = some(count, seed);
  for (size_t i = 0; i < count; ++i)
    words[i / 2] |= int32_t(uint32_t(std::bit_cast<uint16_t>(_Float16(values[i] / 8))) << (i % 2 * 16));
  return words;
}

float halfAt(const std::vector<int32_t> &words, size_t at) {
  return float(std::bit_cast<_Float16>(uint16_t(uint32_t(words[at / 2]) >> (at % 2 * 16))));
}

std::vector<uint64_t> slotsOf(Launch &launch) {
  std::vector<uint64_t> slots;
  for (auto &argument : launch.arguments)
    slots.push_back(std::visit([](auto &value) { return slotOf(value); }, argument));
  return slots;
}

class NvidiaAgreement : public testing::Test {
protected:
  void agree(const Launch &launch, unsigned capability = 90) {
    SCOPED_TRACE(launch.kernel + "(" + launch.signature + ") for " + std::to_string(capability));
    SourceFile source(launch.file, test::readRootFile(launch.file));
    CompileRequest request;
    request.kernel.file = &source;
    request.kernel.kernel = launch.kernel;
    auto parsed = frontend::parseSignature(launch.signature);
    ASSERT_TRUE(bool(parsed)) << parsed.failure().message;
    request.kernel.arguments = *parsed;
    request.target.engine = Engine::Nvidia;
    request.target.capability = capability;
    Result<std::string> tileIr = emitStage(request, "opt");
    ASSERT_TRUE(bool(tileIr)) << tileIr.failure().message;

    Launch expected = launch;
    Artifact artifact;
    artifact.code = *tileIr;
    auto program = reference::Program::load(artifact);
    ASSERT_TRUE(bool(program)) << program.failure().message;
    auto done = (*program)->run(slotsOf(expected), launch.grid);
    ASSERT_TRUE(bool(done)) << done.failure().message;

    lowerAndCompare(*tileIr, launch, expected, capability, Copies::AsChosen);
    if (launch.isSpecializedToo && capability == 90)
      for (Copies copies : {Copies::ByOwnWarps, Copies::ByOwnWarpsRepeated})
        lowerAndCompare(*tileIr, launch, expected, capability, copies);
  }

  static void lowerAndCompare(const std::string &tileIr, const Launch &launch, const Launch &expected,
                              unsigned capability, Copies copies) {
    SCOPED_TRACE(copies == Copies::AsChosen     ? ""
                 : copies == Copies::ByOwnWarps ? "with warps of their own for copies"
                                                : "with warps of their own for copies, programs repeated");
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = lowerTileIr(tileIr, context, capability, {.numWarps = launch.warps}, copies);
    ASSERT_TRUE(bool(module)) << tileIr;
    // Asynchronous work is done late in one order, and at once in the other; where an engine
    // copies, also by turns.
    const bool hasBoxes = !gpu::tensorMapsOf(*module).empty();
    for (auto [backwards, copiesAtOnce] : {std::pair(true, false), {false, false}, {true, true}}) {
      if (copiesAtOnce && !hasBoxes)
        continue;
      Launch got = launch;
      simulate(*module, got, backwards, copiesAtOnce);
      compare(launch, got, expected);
    }
  }

  static void simulate(mlir::ModuleOp module, Launch &got, bool backwards, bool copiesAtOnce) {
    Simulation simulation{module, slotsOf(got), {}, got.grid, backwards, copiesAtOnce};
    for (auto &argument : got.arguments)
      if (auto *floats = std::get_if<std::vector<float>>(&argument))
        simulation.memory.push_back({floats->data(), floats->size() * 4});
      else if (auto *ints = std::get_if<std::vector<int32_t>>(&argument))
        simulation.memory.push_back({ints->data(), ints->size() * 4});
    ASSERT_EQ(simulation.run(), "");
  }

  static void compare(const Launch &launch, const Launch &got, const Launch &expected) {
    EXPECT_NE(got.arguments, launch.arguments) << "nothing was written";
    for (size_t a = 0; a < launch.arguments.size(); ++a)
      if (auto *floats = std::get_if<std::vector<float>>(&got.arguments[a]))
        for (size_t i = 0; i < floats->size(); ++i) {
          float other = std::get<std::vector<float>>(expected.arguments[a])[i];
          if ((*floats)[i] == other) // Infinities have no difference.
            continue;
          ASSERT_LE(std::fabs(double((*floats)[i]) - other), launch.tolerance * (1 + std::fabs(other)))
              << "argument " << a << " at " << i << ": " << (*floats)[i] << ", the reference engine has " << other;
        }
      else if (auto *words = std::get_if<std::vector<int32_t>>(&got.arguments[a]); words && launch.halves)
        for (size_t i = 0; i < 2 * words->size(); ++i) {
          float value = halfAt(*words, i), other = halfAt(std::get<std::vector<int32_t>>(expected.arguments[a]), i);
          ASSERT_LE(std::fabs(value - other), launch.tolerance * (1 + std::fabs(other)))
              << "argument " << a << " at " << i << ": " << value << ", the reference engine has " << other;
        }
  }
};

const std::string kP = "*fp32:16, ", kThree = kP + kP + kP, kTaught = "test/access/taught_kernels.py";
const std::vector<float> kNone(2000, -7.0f);

TEST_F(NvidiaAgreement, Vectors) {
  agree({"kernels/copy.py", "copy", kP + kP + "i32, 256", {4, 1, 1}, {some(1000, 1), kNone, 1000}});
  agree({"kernels/buggy_add.py", "buggy_add", kThree + "i32, 4", {3, 1, 1}, {some(10, 1), some(10, 2), kNone, 10}});
  agree({"kernels/dropout.py",
         "dropout",
         kP + kP + "i32, fp32, i32, 256",
         {4, 1, 1},
         {some(999, 1), kNone, 999, 0.3f, 42},
         1e-6});
}

TEST_F(NvidiaAgreement, Rows) {
  agree({"kernels/softmax_backward.py",
         "softmax_backward",
         kThree + "i32, i32, 128",
         {5, 1, 1},
         {kNone, some(500, 1), some(500, 2), 100, 99},
         1e-5});
  agree({"kernels/layer_norm.py",
         "layer_norm",
         kThree + kP + "i32, i32, fp32, 128",
         {5, 1, 1},
         {some(500, 1), kNone, some(100, 2), some(100, 3), 100, 99, 1e-5f},
         1e-5});
  agree({"kernels/layer_norm.py",
         "layer_norm_linear",
         kThree + kThree + "i32, i32, i32, fp32, i32, i32, i32, 16, 16, 16",
         {2, 2, 1},
         {some(600, 1), kNone, some(30, 2), some(30, 3), some(600, 4), some(20, 5), 19, 30, 20, 1e-5f, 30, 20, 20},
         1e-4});
  agree({kTaught,
         "softmax_rows",
         kP + kP + "i32, i32, i32, i32, 64",
         {2, 1, 1},
         {kNone, some(500, 1), 50, 60, 7, 50},
         1e-5});
  agree({kTaught,
         "layer_norm_passes",
         kThree + kThree + "i32, i32, fp32, 64",
         {3, 1, 1},
         {some(600, 1), kNone, some(150, 2), some(150, 3), kNone, kNone, 200, 150, 1e-5f},
         1e-5});
}

// Copies of a sum are the same in all lanes, whichever way each of them came to it.
TEST_F(NvidiaAgreement, CombinesThatAreSymmetricUpToRounding) {
  for (const char *columns : {"4", "16", "128"})
    agree({"test/unit/nvidia/reduce_kernels.py",
           "moments",
           kThree + "i32, 64, " + columns,
           {2, 1, 1},
           {some(100 * 128, 1), kNone, kNone, 100},
           1e-4});
}

TEST_F(NvidiaAgreement, Pictures) {
  agree({"kernels/sepia.py",
         "sepia",
         kP + kP + "i32, i32, 8, 16",
         {3, 2, 1},
         {some(3 * 19 * 23, 1), kNone, 19, 23},
         1e-6});
  for (int size : {3, 5})
    agree({"kernels/convolution.py",
           "convolve",
           kThree + "i32, i32, " + std::to_string(size) + ", 8, 16",
           {2, 3, 2},
           {some(2 * 19 * 23, 1), kNone, some(25, 2), 19, 23},
           1e-5});
  agree({kTaught,
         "convolve_checked",
         kThree + "i32, i32, 3, 8, 16",
         {2, 3, 2},
         {some(2 * 19 * 23, 1), kNone, some(9, 2), 19, 23},
         1e-5});
}

// The precision of tl.dot is tf32 unless a kernel says otherwise: ten bits of each operand.
TEST_F(NvidiaAgreement, Matmuls) {
  const std::string strides = "i32, i32, i32, i32, 1, i32, 1, i32, 1, 16, 16, 16";
  for (const char *activation : {"\"\"", "\"relu\"", "\"leaky_relu\""})
    agree({"kernels/matmul_fused.py",
           "matmul_fused",
           kThree + strides + ", 2, " + activation,
           {9, 1, 1},
           {some(37 * 21, 1), some(21 * 40, 2), kNone, 37, 40, 21, 21, 40, 40},
           5e-3});
  agree({kTaught,
         "matmul_wrapped",
         kThree + strides + ", 2",
         {9, 1, 1},
         {some(37 * 21, 1), some(21 * 40, 2), kNone, 37, 40, 21, 21, 40, 40},
         5e-3});
  agree({kTaught,
         "matmul_recomputed",
         kThree + strides,
         {3, 3, 1},
         {some(37 * 21, 1), some(21 * 40, 2), kNone, 37, 40, 21, 21, 40, 40},
         5e-3});
}

TEST_F(NvidiaAgreement, Patterns) {
  agree({kTaught, "while_pointers", kP + kP + "i32, fp32, 64", {3, 1, 1}, {some(500, 1), kNone, 150, 0.5f}});
  for (int which : {-1, 1, 2})
    agree({kTaught,
           "chosen_pointers",
           kThree + "i32, i32, 64",
           {3, 1, 1},
           {some(300, 1), some(300, 2), kNone, 170, which}});
  for (int low : {0, 7, 70})
    agree(
        {kTaught, "masks_of_all_kinds", kP + kP + "i32, i32, i32, 64", {2, 1, 1}, {some(300, 1), kNone, 90, low, low}});
  agree({kTaught,
         "clamped_rows",
         kThree + "i32, i32, 16, 32",
         {3, 1, 1},
         {some(33 * 30, 1), kNone, kNone, 33, 30},
         1e-4});
  agree({kTaught, "demanded_wrap", kThree + "i32, 64", {2, 1, 1}, {some(48, 1), kNone, kNone, 48}, 1e-5});
  std::vector<int32_t> rows;
  for (int i = 0; i < 21; ++i)
    rows.push_back(i * 5 % 9);
  agree({kTaught,
         "gather_rows",
         kP + "*i32:16, " + kP + "i32, i32, 16",
         {2, 1, 1},
         {some(9 * 13, 1), rows, kNone, 21, 13}});
}

// About where results become infinite, and beyond.
TEST_F(NvidiaAgreement, Exponentials) {
  std::vector<float> x;
  for (float at : {-200.0f, -104.0f, 0.0f, 1e-3f, 1.0f, 80.0f, 89.0f, 1e3f, 1e30f, INFINITY, -INFINITY})
    x.push_back(at);
  for (float at = 88.7228f; at < 88.7229f; at = std::nextafter(at, 100.0f))
    x.push_back(at);
  agree({"test/unit/nvidia/function_kernels.py",
         "exponentials",
         kP + kP + "i32, 64",
         {1, 1, 1},
         {x, std::vector<float>(64, -7.0f), int32_t(x.size())},
         1e-6});
}

// Of blocks that some lanes of a warp have no element of, and of such that some warps have none of.
TEST_F(NvidiaAgreement, OldValues) {
  for (size_t block : {2, 16, 64, 512})
    agree({"test/unit/nvidia/function_kernels.py",
           "old_values",
           kP + kP + std::to_string(block),
           {1, 1, 1},
           {some(block, 1), std::vector<float>(block, -7.0f)}});
}

// Loops of no iteration, of one, and of more than a ring has slots. Sums of halves in any order.
TEST_F(NvidiaAgreement, DotsInLoops) {
  const std::string file = "test/unit/nvidia/dot_kernels.py", half = "*fp16:16, ", sums = "*fp32:16, ";
  constexpr size_t kBlock = 64 * 64;
  const std::vector<float> none(kBlock, -7.0f);
  auto halves = [](uint32_t seed) { return someHalves(8 * kBlock, seed); };
  for (int32_t steps : {0, 6})
    agree({file, "hinted", "*fp16, *fp16, *fp32, i32, 64", {1, 1, 1}, {halves(1), halves(2), none, steps}, 2e-2});
  for (const char *kernel : {"inside_if", "used_elsewhere", "pointer_after", "while_loop", "staged_in_loop",
                             "one_stage_then_five", "swapped", "sixteen", "chain_staged", "pointers_of_the_counter",
                             "added_to_a_load", "added_to_loaded_sums", "copies_in_both_loops"})
    for (int32_t steps : {0, 1, 6})
      for (unsigned capability : {80, 90})
        agree({file, kernel, half + half + sums + "i32, 64", {1, 1, 1}, {halves(1), halves(2), none, steps}, 2e-2},
              capability);
  // What is stored between two dots of a loop whose second is an iteration behind.
  for (const char *kernel : {"stores_in_a_chain", "branches_in_a_chain"})
    for (int32_t steps : {0, 1, 6})
      agree({file,
             kernel,
             half + half + sums + sums + "i32, 64",
             {1, 1, 1},
             {halves(1), halves(2), none, std::vector<float>(8 * kBlock, -1.0f), steps},
             2e-2});
  for (unsigned warps : {4, 8}) {
    agree({file, "no_loop", half + half + sums + "i32, 64", {1, 1, 1}, {halves(1), halves(2), none, 0}, 2e-2, warps});
    agree({file,
           "indirect",
           half + "*i32:16, " + sums + "i32, 64",
           {1, 1, 1},
           {halves(1), std::vector<int32_t>{3, 0, 5, 1}, none, 4},
           2e-2,
           warps});
    for (int32_t steps : {0, 1, 5})
      agree({file,
             "backward",
             half + half + half + half + sums + sums + "i32, 64",
             {1, 1, 1},
             {halves(1), halves(2), halves(3), halves(4), none, none, steps},
             5e-2,
             warps});
    agree({file,
           "persistent",
           half + half + sums + "i32, i32, 64",
           {2, 1, 1},
           {halves(1), halves(2), std::vector<float>(3 * kBlock, -7.0f), 3, 2},
           2e-2,
           warps});
  }
}

// Attention as people write it: the keys before the diagonal in one loop, those on it in another.
TEST_F(NvidiaAgreement, AttentionInTwoLoops) {
  const std::string half = "*fp16:16, ";
  constexpr size_t kHead = 64, kTokens = 192;
  auto halves = [](uint32_t seed) { return someHalves(kTokens * kHead, seed); };
  for (const char *causal : {"False", "True"})
    for (const char *blocks : {"64, 64", "64, 32"})
      agree({"bench/gpu_kernels.py",
             "attention",
             half + half + half + half + "i32, fp32, i32:16, i32:16, 64, " + blocks + ", " + causal + ", False",
             {3, 1, 1},
             {halves(1), halves(2), halves(3), std::vector<int32_t>(kTokens * kHead / 2, 0x7e007e00), int32_t(kTokens),
              0.125f, int32_t(kTokens * kHead), int32_t(kHead)},
             5e-3,
             4,
             /*halves=*/true});
}

// Copies asked for by warps of their own, in loops of no iteration, of few and of many.
TEST_F(NvidiaAgreement, WarpsBeside) {
  const std::string file = "test/unit/nvidia/specialized_kernels.py", half = "*fp16:16, ", sums = "*fp32:16, ";
  auto halves = [](uint32_t seed) { return someHalves(192 * 512, seed); };
  auto none = [](size_t count) { return std::vector<float>(count, -7.0f); };
  auto product = [&](const char *alongK, unsigned warps) {
    agree({file,
           "product",
           half + half + sums + "0, i32:8, 128, 64, 32, " + alongK,
           {1, 1, 1},
           {halves(1), halves(2), none(128 * 64), 264},
           5e-2,
           warps});
  };
  product("True", 4);
  product("False", 4);
  product("False", 8);
  // Threads stage one operand, since it is not aligned, and have the other one copied.
  agree({file,
         "product",
         half + half + sums + "i32, i32:8, 128, 64, 32, False",
         {1, 1, 1},
         {halves(1), halves(2), none(128 * 64), 64, 264},
         5e-2,
         8});
  for (unsigned warps : {4, 8})
    agree({file,
           "persistent",
           half + half + sums + "i32, i32:8, 64, 32",
           {2, 1, 1},
           {halves(1), halves(2), none(290 * 64), 290, 104},
           5e-2,
           warps});
  agree({file,
         "two_products",
         half + half + sums + "i32:8, i32:8, 64, 32",
         {1, 1, 1},
         {halves(1), halves(2), none(3 * 64 * 64), 136, 88},
         5e-2});
  agree({file,
         "gathered_tiles",
         half + half + sums + "*i32:16, i32, i32:8, 64, 32",
         {1, 1, 1},
         {halves(1), halves(2), none(3 * 64 * 64), std::vector<int32_t>{2, 0, 1}, 3, 120},
         5e-2});
  // Of the causal ones, the first program has no key before its diagonal.
  for (auto [causal, blocks, warps] :
       {std::tuple("False", "64, 32, ", 4u), {"True", "64, 16, ", 4u}, {"True", "128, 64, ", 8u}})
    agree({file,
           "attention",
           half + half + half + half + "i32, i32:16, 64, " + blocks + causal,
           {warps == 8 ? 2u : 4u, 1, 1},
           {halves(1), halves(2), halves(3), std::vector<int32_t>(256 * 64 / 2, 0x7e007e00), 256, 64},
           5e-3,
           warps,
           /*halves=*/true});
}

// Operands that lie in memory along k or across it, by instructions that take them in one way only.
TEST_F(NvidiaAgreement, DotsOfEveryWalk) {
  for (const char *alongA : {"True", "False"})
    for (const char *alongB : {"True", "False"})
      for (auto [shape, depth] : {std::pair("64, 32, ", "8"),
                                  {"64, 32, ", "32"},
                                  {"64, 32, ", "64"},
                                  {"64, 64, ", "8"},
                                  {"32, 128, ", "32"},
                                  {"128, 64, ", "64"}})
        for (int32_t steps : {1, 5})
          agree({"test/unit/nvidia/dot_kernels.py",
                 "walks",
                 std::string("*fp32:16, *fp32:16, *fp32:16, i32, ") + alongA + ", " + alongB + ", " + shape + depth,
                 {1, 1, 1},
                 {some(5 * 128 * 64, 1), some(5 * 128 * 64, 2), std::vector<float>(128 * 64, -7.0f), steps},
                 5e-2});
}

// 8-bit floats are multiplied as they are, whichever way they lie in memory.
TEST_F(NvidiaAgreement, DotsOfBytes) {
  constexpr size_t kBytes = 3 * 64 * 64;
  auto bytes = [](uint32_t seed) {
    std::vector<int32_t> words(kBytes / 4);
    for (int32_t &word : words) {
      seed = seed * 1664525 + 1013904223;
      word = int32_t(seed & 0xb7b7b7b7); // No NaN, and nothing large.
    }
    return words;
  };
  for (const char *type : {"fp8e4nv", "fp8e5"})
    for (const char *alongA : {"True", "False"})
      for (const char *alongB : {"True", "False"})
        agree({"test/unit/nvidia/dot_kernels.py",
               "bytes_walk",
               std::string("*") + type + ":16, *" + type + ":16, *fp32:16, i32, " + alongA + ", " + alongB + ", 64, 64",
               {1, 1, 1},
               {bytes(1), bytes(2), std::vector<float>(64 * 64, -7.0f), 3},
               1e-3});
}

// f32 operands in several parts for the tensor cores: as near as the bits of all parts make them.
TEST_F(NvidiaAgreement, DotsInParts) {
  const std::vector<float> none(64 * 64, -7.0f);
  for (auto [precision, tolerance] : {std::pair("tf32x3", 2e-5), {"bf16x3", 1e-3}, {"bf16x6", 2e-5}})
    for (unsigned capability : {80, 90})
      for (int32_t steps : {0, 1, 4})
        agree({"test/unit/nvidia/dot_kernels.py",
               "in_parts",
               std::string("*fp32:16, *fp32:16, *fp32:16, i32, '") + precision + "', 64",
               {1, 1, 1},
               {some(4 * 64 * 64, 1), some(4 * 64 * 64, 2), none, steps},
               tolerance},
              capability);
}

// What is no number stays what it is, and meets nothing else.
TEST_F(NvidiaAgreement, DotsInPartsOfWhatIsNoNumber) {
  std::vector<float> left = some(64 * 64, 1), right = some(64 * 64, 2);
  left[3 * 64 + 5] = INFINITY;
  left[40 * 64] = -INFINITY;
  right[7] = 2.0f; // exactly one part: its rest is zero
  right[5 * 64 + 9] = 1.0f;
  for (const char *precision : {"tf32x3", "bf16x3", "bf16x6"})
    agree({"test/unit/nvidia/dot_kernels.py",
           "in_parts",
           std::string("*fp32:16, *fp32:16, *fp32:16, i32, '") + precision + "', 64",
           {1, 1, 1},
           {left, right, std::vector<float>(64 * 64, -7.0f), 1},
           1e-3});
}

} // namespace

} // namespace tilewise::nvidiatest
