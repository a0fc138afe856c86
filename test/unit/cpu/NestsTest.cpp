// Nests that are easy to get wrong, CPU engine against reference engine: aliasing, order of
// effects, reductions, carried blocks.
#include "CpuHarness.h"
#include "engines/RunKernel.h"

#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

/// Runs the text on both engines over one array of floats, from equal contents, and compares all of
/// it. `tolerance` is relative.
void compareOnFloats(const std::string &text, size_t count, std::array<uint32_t, 3> grid = {1, 1, 1},
                     std::vector<int32_t> scalars = {}, float tolerance = 0, unsigned pointers = 1) {
  std::mt19937 random(7);
  std::vector<float> start(count);
  for (float &value : start)
    value = float(int(random() % 4001) - 2000) / 16;
  std::vector<float> expected = start, actual = start;
  auto slotsFor = [&](std::vector<float> &memory) {
    std::vector<uint64_t> slots;
    for (unsigned i = 0; i < pointers; ++i)
      slots.push_back(reinterpret_cast<uint64_t>(memory.data()));
    for (int32_t scalar : scalars)
      slots.push_back(uint64_t(int64_t(scalar)));
    return slots;
  };
  auto program = engines::loadKernel(text);
  ASSERT_TRUE(program);
  auto done = program->launch(slotsFor(expected), {grid}, nullptr);
  ASSERT_TRUE(bool(done)) << done.failure().message;
  for (std::string target : {"cpu", "cpu:haswell", "cpu:x86-64-v2"}) {
    SCOPED_TRACE(target);
    actual = start;
    CompiledKernel kernel(text, target);
    ASSERT_TRUE(bool(kernel));
    kernel.runSlots(grid, slotsFor(actual));
    for (size_t i = 0; i < count; ++i)
      if (!(std::isnan(expected[i]) && std::isnan(actual[i])))
        ASSERT_NEAR(actual[i], expected[i], tolerance * std::abs(expected[i])) << "element " << i;
  }
}

/// A kernel over one pointer %p: blocks of 100 (not a power of two) floats, `body` between.
std::string kernel(const std::string &body, const std::string &arguments = "%p: !tile.ptr<f32>") {
  return "func.func @kernel(" + arguments + R"() attributes {tile.kernel} {
  %r = tile.range 0 to 100 : tensor<100xi32>
  %ps = tile.splat %p : tensor<100x!tile.ptr<f32>>
  %at = tile.ptr_add %ps, %r : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
)" + body +
         "  return\n}\n";
}

std::string shifted(const std::string &name, int by) {
  return "  %c" + name + " = arith.constant dense<" + std::to_string(by) + "> : tensor<100xi32>\n  %" + name +
         " = tile.ptr_add %at, %c" + name + " : tensor<100x!tile.ptr<f32>>, tensor<100xi32>\n";
}

std::string load(const std::string &name, const std::string &from) {
  return "  %" + name + " = tile.load %" + from + " : tensor<100x!tile.ptr<f32>> -> tensor<100xf32>\n";
}

std::string store(const std::string &to, const std::string &value) {
  return "  tile.store %" + to + ", %" + value + " : tensor<100x!tile.ptr<f32>>, tensor<100xf32>\n";
}

std::string add(const std::string &name, const std::string &a, const std::string &b) {
  return "  %" + name + " = arith.addf %" + a + ", %" + b + " : tensor<100xf32>\n";
}

TEST(CpuNests, ShiftInPlace) {
  for (int by : {1, -1, 3, 17, 64, 99, 100, -50})
    compareOnFloats(kernel(shifted("from", 150) + shifted("to", 150 + by) + load("x", "from") + store("to", "x")), 400);
}

TEST(CpuNests, ReverseInPlace) {
  compareOnFloats(
      kernel("  %last = arith.constant dense<99> : tensor<100xi32>\n  %back = arith.subi %last, %r : tensor<100xi32>\n"
             "  %to = tile.ptr_add %ps, %back : tensor<100x!tile.ptr<f32>>, tensor<100xi32>\n" +
             load("x", "at") + store("to", "x")),
      128);
}

TEST(CpuNests, LoadBeforeStoreUsedAfterIt) {
  compareOnFloats(kernel(load("x", "at") + shifted("to", 1) + add("y", "x", "x") + store("to", "y") +
                         shifted("far", 200) + store("far", "x")),
                  400);
}

TEST(CpuNests, LoadAfterStoreSeesIt) {
  compareOnFloats(kernel(load("x", "at") + add("y", "x", "x") + store("at", "y") + shifted("one", 1) +
                         load("z", "one") + shifted("far", 200) + store("far", "z")),
                  400);
}

TEST(CpuNests, OverlappingStoresKeepTheirOrder) {
  compareOnFloats(kernel(load("x", "at") + add("y", "x", "x") + shifted("a", 150) + shifted("b", 151) +
                         store("a", "x") + store("b", "y")),
                  400);
}

TEST(CpuNests, SeveralLoadsInDanger) {
  // Two with one mask, which share a copying loop; one with another box; one under a scalar
  // condition; one with a mask that is no box.
  auto masked = [](const std::string &name, const std::string &from, const std::string &mask) {
    return "  %" + name + " = tile.load %" + from + " mask %" + mask +
           " : tensor<100xi1> other %other : tensor<100xf32> : tensor<100x!tile.ptr<f32>> -> tensor<100xf32>\n";
  };
  const std::string body = R"(
  %c7 = arith.constant dense<7> : tensor<100xi32>
  %c93 = arith.constant dense<93> : tensor<100xi32>
  %c3 = arith.constant dense<3> : tensor<100xi32>
  %low = arith.cmpi sge, %r, %c7 : tensor<100xi32>
  %high = arith.cmpi slt, %r, %c93 : tensor<100xi32>
  %in = arith.andi %low, %high : tensor<100xi1>
  %zero = arith.constant 0 : i32
  %asked = arith.cmpi sgt, %n, %zero : i32
  %all = tile.splat %asked : tensor<100xi1>
  %both = arith.andi %all, %high : tensor<100xi1>
  %third = tile.rem_u %r, %c3 : tensor<100xi32>
  %odd = arith.cmpi slt, %third, %r : tensor<100xi32>
  %other = arith.constant dense<5.0> : tensor<100xf32>
)" + shifted("a", 150) + shifted("b", 147) +
                           shifted("c", 160) + shifted("d", 120) + shifted("e", 200) + masked("x", "a", "in") +
                           masked("y", "b", "in") + masked("z", "c", "high") + masked("u", "d", "both") +
                           masked("v", "e", "odd") + add("xy", "x", "y") + add("xyz", "xy", "z") +
                           add("xyzu", "xyz", "u") + add("sum", "xyzu", "v") + shifted("to", 151);
  for (int32_t n : {0, 1})
    for (const char *stored : {" mask %in : tensor<100xi1>", ""})
      compareOnFloats(
          kernel(body + "  tile.store %to, %sum" + stored + " : tensor<100x!tile.ptr<f32>>, tensor<100xf32>\n",
                 "%p: !tile.ptr<f32>, %n: i32"),
          400, {1, 1, 1}, {n});
}

TEST(CpuNests, MatricesInDanger) {
  // z[j][i + 1] = x[i][j] + x[i][j + 1] for i < n, all in one array: strides that differ, and a
  // mask over rows.
  compareOnFloats(R"(
func.func @kernel(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %j = tile.range 0 to 32 : tensor<32xi32>
  %i1 = tile.expand_dims %i at 1 : tensor<8xi32> -> tensor<8x1xi32>
  %j1 = tile.expand_dims %j at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ib = tile.broadcast %i1 : tensor<8x1xi32> -> tensor<8x32xi32>
  %jb = tile.broadcast %j1 : tensor<1x32xi32> -> tensor<8x32xi32>
  %ns = tile.splat %n : tensor<8x32xi32>
  %inside = arith.cmpi slt, %ib, %ns : tensor<8x32xi32>
  %c32 = arith.constant dense<32> : tensor<8x32xi32>
  %c8 = arith.constant dense<8> : tensor<8x32xi32>
  %c1 = arith.constant dense<1> : tensor<8x32xi32>
  %row = arith.muli %ib, %c32 : tensor<8x32xi32>
  %from = arith.addi %row, %jb : tensor<8x32xi32>
  %next = arith.addi %from, %c1 : tensor<8x32xi32>
  %column = arith.muli %jb, %c8 : tensor<8x32xi32>
  %across = arith.addi %column, %ib : tensor<8x32xi32>
  %to = arith.addi %across, %c1 : tensor<8x32xi32>
  %ps = tile.splat %p : tensor<8x32x!tile.ptr<f32>>
  %pa = tile.ptr_add %ps, %from : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  %pb = tile.ptr_add %ps, %next : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  %pc = tile.ptr_add %ps, %to : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  %other = arith.constant dense<5.0> : tensor<8x32xf32>
  %x = tile.load %pa mask %inside : tensor<8x32xi1> other %other : tensor<8x32xf32> : tensor<8x32x!tile.ptr<f32>> -> tensor<8x32xf32>
  %y = tile.load %pb mask %inside : tensor<8x32xi1> other %other : tensor<8x32xf32> : tensor<8x32x!tile.ptr<f32>> -> tensor<8x32xf32>
  %z = arith.addf %x, %y : tensor<8x32xf32>
  tile.store %pc, %z : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xf32>
  return
}
)",
                  400, {1, 1, 1}, {5});
}

TEST(CpuNests, ScatteredLoad) {
  // Offsets that the inference does not understand: i * i % 100.
  std::string offsets =
      "  %m = arith.constant dense<100> : tensor<100xi32>\n  %sq = arith.muli %r, %r : tensor<100xi32>\n"
      "  %o = tile.rem_u %sq, %m : tensor<100xi32>\n  %g = tile.ptr_add %ps, %o : tensor<100x!tile.ptr<f32>>, "
      "tensor<100xi32>\n";
  compareOnFloats(kernel(offsets + load("x", "g") + store("at", "x")), 128);
  compareOnFloats(
      kernel(offsets + load("x", "at") + shifted("to", 100) + load("y", "g") + add("z", "x", "y") + store("to", "z")),
      256);
}

TEST(CpuNests, StoreAfterReductionOfTheSameBlock) {
  compareOnFloats(kernel(load("x", "at") + R"(
  %top = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<100xf32>) -> f32
  %tops = tile.splat %top : tensor<100xf32>
)" + add("y", "x", "tops") +
                         shifted("to", 2) + store("to", "y")),
                  128);
}

TEST(CpuNests, MaskWithLowerBound) {
  compareOnFloats(kernel(R"(
  %c7 = arith.constant dense<7> : tensor<100xi32>
  %c93 = arith.constant dense<93> : tensor<100xi32>
  %low = arith.cmpi sge, %r, %c7 : tensor<100xi32>
  %high = arith.cmpi slt, %r, %c93 : tensor<100xi32>
  %in = arith.andi %low, %high : tensor<100xi1>
  %other = arith.constant dense<5.0> : tensor<100xf32>
  %x = tile.load %at mask %in : tensor<100xi1> other %other : tensor<100xf32> : tensor<100x!tile.ptr<f32>> -> tensor<100xf32>
)" + shifted("to", 100) + store("to", "x")),
                  256);
}

std::string argmax(const std::string &index) {
  return R"(
  %best, %where = tile.reduce(%x, %)" +
         index + R"() along 0 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %eq, %lt : i1
    %first = arith.ori %gt, %tie : i1
    %v = arith.select %first, %a, %b : f32
    %w = arith.select %first, %i, %j : i32
    tile.yield %v, %w : f32, i32
  } : (tensor<100xf32>, tensor<100xi32>) -> (f32, i32)
  %wf = arith.sitofp %where : i32 to f32
  tile.store %p, %wf : !tile.ptr<f32>, f32
)";
}

TEST(CpuNests, ArgmaxWithoutIdentity) { compareOnFloats(kernel(load("x", "at") + argmax("r")), 128); }

/// Rows and columns of a block [12, 40], reduced along either axis, and the result broadcast back.
TEST(CpuNests, ReduceAlongEitherAxis) {
  for (int axis : {0, 1}) {
    std::string kept = axis == 0 ? "40" : "12", unit = axis == 0 ? "1x40" : "12x1", at = axis == 0 ? "0" : "1";
    std::string text = R"(
func.func @kernel(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 12 : tensor<12xi32>
  %j = tile.range 0 to 40 : tensor<40xi32>
  %c40 = arith.constant dense<40> : tensor<12xi32>
  %rows = arith.muli %i, %c40 : tensor<12xi32>
  %rows2 = tile.expand_dims %rows at 1 : tensor<12xi32> -> tensor<12x1xi32>
  %cols2 = tile.expand_dims %j at 0 : tensor<40xi32> -> tensor<1x40xi32>
  %ra = tile.broadcast %rows2 : tensor<12x1xi32> -> tensor<12x40xi32>
  %ca = tile.broadcast %cols2 : tensor<1x40xi32> -> tensor<12x40xi32>
  %o = arith.addi %ra, %ca : tensor<12x40xi32>
  %ps = tile.splat %p : tensor<12x40x!tile.ptr<f32>>
  %ptrs = tile.ptr_add %ps, %o : tensor<12x40x!tile.ptr<f32>>, tensor<12x40xi32>
  %ns = tile.splat %n : tensor<1x40xi32>
  %in = arith.cmpi slt, %cols2, %ns : tensor<1x40xi32>
  %mask = tile.broadcast %in : tensor<1x40xi1> -> tensor<12x40xi1>
  %x = tile.load %ptrs mask %mask : tensor<12x40xi1> : tensor<12x40x!tile.ptr<f32>> -> tensor<12x40xf32>
  %sum = tile.reduce(%x) along )" +
                       std::to_string(axis) +
                       R"( {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : (tensor<12x40xf32>) -> tensor<)" +
                       kept + R"(xf32>
  %u = tile.expand_dims %sum at )" +
                       at + " : tensor<" + kept + "xf32> -> tensor<" + unit + R"(xf32>
  %back = tile.broadcast %u : tensor<)" +
                       unit + R"(xf32> -> tensor<12x40xf32>
  %y = arith.subf %x, %back : tensor<12x40xf32>
  tile.store %ptrs, %y mask %mask : tensor<12x40xi1> : tensor<12x40x!tile.ptr<f32>>, tensor<12x40xf32>
  return
}
)";
    for (int n : {40, 33, 16, 3})
      compareOnFloats(text, 12 * 40, {1, 1, 1}, {n}, 1e-5f);
  }
}

TEST(CpuNests, SwapOfCarriedBlocks) {
  compareOnFloats(kernel(load("x", "at") + shifted("second", 100) + load("y", "second") + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %l:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<100xf32>, tensor<100xf32>) : i32 {
    %s = arith.addf %a, %b : tensor<100xf32>
    scf.yield %b, %s : tensor<100xf32>, tensor<100xf32>
  }
)" + store("at", "l#0") + store("second", "l#1")),
                  256);
}

TEST(CpuNests, CarriedBlockReadAtOtherIndices) {
  // Each iteration replaces the block by itself minus its own sum, and keeps the old one.
  compareOnFloats(kernel(load("x", "at") + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %l:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<100xf32>, tensor<100xf32>) : i32 {
    %sum = tile.reduce(%a) along 0 {
    ^bb0(%u: f32, %v: f32):
      %m = arith.minimumf %u, %v : f32
      tile.yield %m : f32
    } : (tensor<100xf32>) -> f32
    %sums = tile.splat %sum : tensor<100xf32>
    %next = arith.subf %b, %sums : tensor<100xf32>
    scf.yield %next, %a : tensor<100xf32>, tensor<100xf32>
  }
)" + shifted("second", 100) +
                         store("at", "l#0") + store("second", "l#1")),
                  256);
}

TEST(CpuNests, BranchesAndWhile) {
  compareOnFloats(kernel(load("x", "at") + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %positive = arith.cmpi sgt, %n, %c0 : i32
  %y = scf.if %positive -> (tensor<100xf32>) {
    %d = arith.addf %x, %x : tensor<100xf32>
    scf.yield %d : tensor<100xf32>
  } else {
    scf.yield %x : tensor<100xf32>
  }
  %z:2 = scf.while (%i = %c0, %b = %y) : (i32, tensor<100xf32>) -> (i32, tensor<100xf32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %b : i32, tensor<100xf32>
  } do {
  ^bb0(%i: i32, %b: tensor<100xf32>):
    %next = arith.addf %b, %x : tensor<100xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %j, %next : i32, tensor<100xf32>
  }
)" + shifted("to", 100) + store("to", "z#1"),
                         "%p: !tile.ptr<f32>, %n: i32"),
                  256, {1, 1, 1}, {3});
}

TEST(CpuNests, ProgramIdsOfAllAxes) {
  std::string text = R"(
func.func @kernel(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %y : i32
  %c = arith.muli %b, %nx : i32
  %at = arith.addi %c, %x : i32
  %q = tile.ptr_add %p, %at : !tile.ptr<f32>, i32
  %v = arith.sitofp %z : i32 to f32
  tile.store %q, %v : !tile.ptr<f32>, f32
  return
}
)";
  compareOnFloats(text, 3 * 4 * 5, {3, 4, 5});
}

} // namespace
