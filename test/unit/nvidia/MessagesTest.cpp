// What kernels tell people, lowered for an NVIDIA GPU and run by the thread simulator: prints,
// assertions, accesses outside of an argument's memory.
#include "NvidiaTesting.h"
#include "ThreadSimulator.h"

#include "target/gpu/Gpu.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace tilewise::nvidiatest {

namespace {

struct Told {
  std::vector<std::string> lines; ///< In order of their text: threads speak in any.
  std::string end;                ///< How the launch ended, empty when it went well.
};

/// Runs a kernel whose one argument is memory of `count` floats 0, 1, 2, ...
Told run(const std::string &body, size_t count, bool checked = false, std::array<uint32_t, 3> grid = {1, 1, 1}) {
  std::string text = "#k = loc(\"k.py\":3:5)\n#lib = loc(\"<tilewise>/sum.py\":9:1)\n"
                     "func.func @kernel(%x: !tile.ptr<f32> {tile.name = \"x\"}) attributes {tile.kernel} {\n" +
                     body + "  return\n}\n";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = lowerTileIr(text, context, 90, {.checked = checked});
  EXPECT_TRUE(bool(module)) << text;
  if (!module)
    return {};
  alignas(16) static float memory[4096];
  for (size_t i = 0; i < count; ++i)
    memory[i] = float(i);
  auto address = uint64_t(uintptr_t(memory));
  Simulation simulation{*module, {address}, {{memory, sizeof memory}}, grid};
  for (size_t i = 0; i < gpu::checkedArgumentsOf(*module).size(); ++i) {
    simulation.arguments.push_back(address);
    simulation.arguments.push_back(address + count * sizeof(float));
  }
  Told told;
  told.end = simulation.run();
  std::istringstream in(simulation.printed);
  for (std::string line; std::getline(in, line);)
    told.lines.push_back(line);
  std::sort(told.lines.begin(), told.lines.end());
  return told;
}

const char *const kLoad = R"(
  %range = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %at = tile.ptr_add %xs, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %at : tensor<256x!tile.ptr<f32>> -> tensor<256xf32> loc(#k)
)";

} // namespace

TEST(NvidiaMessages, APrintTellsEveryElementOnce) {
  Told told = run(std::string(kLoad) + "  tile.print \"v\", %v {isSigned = array<i1: true>} : tensor<256xf32>\n", 256);
  EXPECT_EQ(told.end, "");
  ASSERT_EQ(told.lines.size(), 256u);
  EXPECT_EQ(told.lines[0], "pid (0, 0, 0) idx (  0) v: 0.000000");
  EXPECT_EQ(told.lines[255], "pid (0, 0, 0) idx (255) v: 255.000000");
}

TEST(NvidiaMessages, AScalarIsPrintedByOneThreadOfEachProgram) {
  Told told = run(R"(
  %pid = tile.program_id 0
  tile.print "p", %pid {isSigned = array<i1: true>} : i32
  tile.print "here" {isSigned = array<i1>}
)",
                  1, false, {2, 1, 1});
  EXPECT_EQ(told.end, "");
  EXPECT_EQ(told.lines, (std::vector<std::string>{"pid (0, 0, 0) here", "pid (0, 0, 0) idx () p: 0",
                                                  "pid (1, 0, 0) here", "pid (1, 0, 0) idx () p: 1"}));
}

TEST(NvidiaMessages, HexAndNegativeNumbers) {
  Told told = run(R"(
  %m = arith.constant -2 : i8
  %w = arith.constant -2 : i64
  tile.print "a", %m, %w {isSigned = array<i1: true, false>} : i8, i64
  tile.print "h", %m {hex, isSigned = array<i1: true>} : i8
)",
                  1);
  EXPECT_EQ(told.lines, (std::vector<std::string>{"pid (0, 0, 0) idx () a: (operand 0) -2",
                                                  "pid (0, 0, 0) idx () a: (operand 1) 18446744073709551614",
                                                  "pid (0, 0, 0) idx () h: 0xfe"}));
}

TEST(NvidiaMessages, AFailedAssertionNamesPlaceProgramAndLane) {
  Told told = run(std::string(kLoad) + R"(
  %c = arith.constant dense<200.0> : tensor<256xf32>
  %ok = arith.cmpf olt, %v, %c : tensor<256xf32>
  tile.assert %ok, "below 100%" : tensor<256xi1> loc(callsite(#lib at #k))
)",
                  256);
  EXPECT_EQ(told.end, "k.py:3: kernel: assertion failed: below 100%");
  ASSERT_FALSE(told.lines.empty());
  EXPECT_EQ(told.lines[0], "k.py:3:5: error: assertion failed: below 100%, in program (0, 0, 0), lane (200)");
}

TEST(NvidiaMessages, LanesOffTheMaskAreNotAsserted) {
  Told told = run(std::string(kLoad) + R"(
  %c = arith.constant dense<200.0> : tensor<256xf32>
  %ok = arith.cmpf olt, %v, %c : tensor<256xf32>
  tile.assert %ok, "" mask %ok : tensor<256xi1> : tensor<256xi1>
)",
                  256);
  EXPECT_EQ(told.end, "");
}

TEST(NvidiaMessages, AnAccessOutsideOfItsArgumentEndsTheLaunch) {
  Told told = run(kLoad, 250, /*checked=*/true);
  EXPECT_EQ(told.end, "k.py:3: kernel: load outside of 'x'");
  ASSERT_FALSE(told.lines.empty());
  EXPECT_EQ(told.lines[0],
            "k.py:3:5: error: load outside of 'x': element 250 of 250, in program (0, 0, 0), lane (250)");
  EXPECT_EQ(run(kLoad, 256, /*checked=*/true).end, "");
}

TEST(NvidiaMessages, AScalarAccessIsChecked) {
  const char *body = R"(
  %far = arith.constant -1 : i32
  %at = tile.ptr_add %x, %far : !tile.ptr<f32>, i32
  %v = arith.constant 1.0 : f32
  tile.store %at, %v : !tile.ptr<f32>, f32 loc(#k)
)";
  Told told = run(body, 8, /*checked=*/true);
  EXPECT_EQ(told.end, "k.py:3: kernel: store outside of 'x'");
  EXPECT_EQ(told.lines,
            (std::vector<std::string>{"k.py:3:5: error: store outside of 'x': element -1 of 8, in program (0, 0, 0)"}));
}

} // namespace tilewise::nvidiatest
