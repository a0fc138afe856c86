// tile.dot on the CPU engine against the reference engine: element types, shapes off the
// micro-kernel's tile, accumulators in and out of loops.
#include "CpuHarness.h"
#include "engines/RunKernel.h"
#include "target/HostProcessor.h"

#include <cmath>
#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// Text that loads or stores a block [rows, columns] through pointer %name; its rows are
/// contiguous, or its columns.
std::string pointers(const std::string &name, int rows, int columns, const std::string &element,
                     bool inColumns = false) {
  const std::string m = number(rows), n = number(columns), both = m + "x" + n, at = "%" + name;
  auto offsets = [&](const std::string &to, const std::string &count, int stride) {
    const std::string type = "tensor<" + count + "xi32>";
    return "  " + at + to + "i = tile.range 0 to " + count + " : " + type + "\n  " + at + to +
           "c = arith.constant dense<" + number(stride) + "> : " + type + "\n  " + at + to + " = arith.muli " + at +
           to + "i, " + at + to + "c : " + type + "\n";
  };
  return offsets("r", m, inColumns ? 1 : columns) + offsets("s", n, inColumns ? rows : 1) + "  " + at +
         "e = tile.expand_dims " + at + "r at 1 : tensor<" + m + "xi32> -> tensor<" + m + "x1xi32>\n  " + at +
         "f = tile.expand_dims " + at + "s at 0 : tensor<" + n + "xi32> -> tensor<1x" + n + "xi32>\n  " + at +
         "g = tile.broadcast " + at + "e : tensor<" + m + "x1xi32> -> tensor<" + both + "xi32>\n  " + at +
         "h = tile.broadcast " + at + "f : tensor<1x" + n + "xi32> -> tensor<" + both + "xi32>\n  " + at +
         "k = arith.addi " + at + "g, " + at + "h : tensor<" + both + "xi32>\n  " + at + "b = tile.splat " + at +
         " : tensor<" + both + "x!tile.ptr<" + element + ">>\n  " + at + "p = tile.ptr_add " + at + "b, " + at +
         "k : tensor<" + both + "x!tile.ptr<" + element + ">>, tensor<" + both + "xi32>\n";
}

struct Shape {
  int m, n, k;
};

/// The processor itself, vectors of 16 and 32 bytes, and the units for the type that it has: VNNI,
/// AVX512-BF16, AMX. i8 are pairs of i16 on the smaller ones.
std::vector<std::string> targets(const std::string &element) {
  std::vector<std::string> names{"cpu", "cpu:x86-64", "cpu:avx2"};
  if (element == "i8")
    names.push_back("cpu:cascadelake");
  if (element == "bf16")
    names.push_back("cpu:cooperlake");
  llvm::erase_if(names, [](const std::string &name) { return !cpu::checkRunsHere(*Target::parse(name)); });
  return names;
}

/// What the operands hold: numbers from -most to most, integers or quarters; and an infinity among
/// them.
struct Values {
  int most = 8;
  bool hasInfinity = false;
  bool inColumns = false; ///< The columns of both are contiguous in memory.
};

/// c = body(a, b, c); `body` names %x, %y, %z and its result %r.
template <typename In, typename Out>
void compare(Shape s, const std::string &in, const std::string &out, const std::string &body, double tolerance,
             Values contents = {}) {
  SCOPED_TRACE(in + " " + out + " " + number(s.m) + "x" + number(s.n) + "x" + number(s.k) + "\n" + body);
  std::string ta = "tensor<" + number(s.m) + "x" + number(s.k) + "x",
              tb = "tensor<" + number(s.k) + "x" + number(s.n) + "x",
              tc = "tensor<" + number(s.m) + "x" + number(s.n) + "x";
  auto load = [](const std::string &value, const std::string &from, const std::string &t, const std::string &element) {
    return "  %" + value + " = tile.load %" + from + "p : " + t + "!tile.ptr<" + element + ">> -> " + t + element +
           ">\n";
  };
  std::string text = "func.func @kernel(%a: !tile.ptr<" + in + ">, %b: !tile.ptr<" + in + ">, %c: !tile.ptr<" + out +
                     ">) attributes {tile.kernel} {\n" + pointers("a", s.m, s.k, in, contents.inColumns) +
                     pointers("b", s.k, s.n, in, contents.inColumns) + pointers("c", s.m, s.n, out) +
                     load("x", "a", ta, in) + load("y", "b", tb, in) + load("z", "c", tc, out);
  std::string types = ta + in + ">, " + tb + in + "> -> " + tc + out + ">", filled = body;
  for (size_t at; (at = filled.find("DOT")) != std::string::npos;)
    filled.replace(at, 3, types);
  for (size_t at; (at = filled.find("ACC")) != std::string::npos;)
    filled.replace(at, 3, tc + out + ">");
  text += filled + "  tile.store %cp, %r : " + tc + "!tile.ptr<" + out + ">>, " + tc + out + ">\n  return\n}\n";

  std::mt19937 random(5);
  auto fill = [&](auto &values) {
    for (auto &value : values) {
      double number = double(int(random() % unsigned(2 * contents.most + 1)) - contents.most) / (in[0] == 'i' ? 1 : 4);
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, uint16_t>) {
        if (in == "bf16")
          value = uint16_t(std::bit_cast<uint32_t>(float(number)) >> 16);
        else
          value = uint16_t(number == 0 ? 0
                                       : (std::signbit(number) ? 0x8000 : 0) |
                                             (std::bit_cast<uint32_t>(float(std::abs(number))) - 0x38000000) >> 13);
      } else {
        value = std::decay_t<decltype(value)>(number);
      }
    }
  };
  std::vector<In> a(size_t(s.m) * s.k), b(size_t(s.k) * s.n);
  std::vector<Out> start(size_t(s.m) * s.n);
  fill(a);
  fill(b);
  fill(start);
  if (contents.hasInfinity)
    a[size_t(s.k) + 1] = In(in == "bf16" ? 0x7f80 : 0x7c00);
  std::vector<Out> expected = start, actual = start;
  auto slots = [&](std::vector<Out> &c) {
    return std::vector<uint64_t>{reinterpret_cast<uint64_t>(a.data()), reinterpret_cast<uint64_t>(b.data()),
                                 reinterpret_cast<uint64_t>(c.data())};
  };
  auto program = engines::loadKernel(text);
  ASSERT_TRUE(program);
  ASSERT_TRUE(bool(program->launch(slots(expected), {{1, 1, 1}}, nullptr)));
  for (const std::string &target : targets(in)) {
    actual = start;
    CompiledKernel kernel(text, target);
    ASSERT_TRUE(bool(kernel));
    kernel.runSlots({1, 1, 1}, slots(actual));
    for (size_t i = 0; i < actual.size(); ++i) {
      if (!std::isfinite(double(expected[i])))
        ASSERT_TRUE(actual[i] == expected[i] || (actual[i] != actual[i] && expected[i] != expected[i]))
            << target << " element " << i << ": " << actual[i] << ", not " << expected[i];
      else
        ASSERT_NEAR(double(actual[i]), double(expected[i]), tolerance * s.k * 8) << target << " element " << i;
    }
  }
}

const std::string plain = "  %r = tile.dot %x, %y, %z : DOT\n";

TEST(CpuDot, Types) {
  Shape shape{32, 48, 16};
  compare<float, float>(shape, "f32", "f32", plain, 1e-6);
  compare<double, double>(shape, "f64", "f64", plain, 1e-14);
  compare<uint16_t, float>(shape, "f16", "f32", plain, 1e-6);
  compare<uint16_t, float>(shape, "bf16", "f32", plain, 1e-6);
  compare<int8_t, int32_t>(shape, "i8", "i32", plain, 0);
  compare<int32_t, int32_t>(shape, "i32", "i32", plain, 0);
}

// Blocks of whole tiles of AMX, of one and of several, and smaller ones.
TEST(CpuDot, SmallTypesInTiles) {
  for (Shape shape : {Shape{64, 64, 64}, {16, 16, 128}, {32, 48, 64}, {8, 16, 16}, {48, 32, 32}}) {
    compare<uint16_t, float>(shape, "bf16", "f32", plain, 1e-6);
    compare<int8_t, int32_t>(shape, "i8", "i32", plain, 0, {127});
    // 11 bits, all of which count: a product is up to 62500, and half of the mantissa would be off
    // by more than 100.
    compare<uint16_t, float>(shape, "f16", "f32", plain, 1e-3, {1000});
    compare<uint8_t, float>(shape, "f8E4M3FN", "f32", plain, 1e-6, {0});
  }
}

TEST(CpuDot, InfinitiesInSmallTypes) {
  for (const char *type : {"bf16", "f16"})
    compare<uint16_t, float>({32, 32, 32}, type, "f32", plain, 1e-6, {8, /*hasInfinity=*/true});
}

// Such operands are transposed on their way into scratch, as far as registers are filled.
TEST(CpuDot, OperandsInColumns) {
  for (Shape shape : {Shape{32, 64, 32}, {16, 20, 64}, {5, 7, 3}}) {
    Values values{8, false, /*inColumns=*/true};
    compare<float, float>(shape, "f32", "f32", plain, 1e-6, values);
    compare<double, double>(shape, "f64", "f64", plain, 1e-14, values);
    compare<uint16_t, float>(shape, "bf16", "f32", plain, 1e-6, values);
    compare<uint16_t, float>(shape, "f16", "f32", plain, 1e-6, values);
    compare<int8_t, int32_t>(shape, "i8", "i32", plain, 0, values);
  }
  compare<uint16_t, float>({32, 32, 32}, "f16", "f32", plain, 1e-6, {8, /*hasInfinity=*/true, /*inColumns=*/true});
}

TEST(CpuDot, BatchesOfSmallTypes) {
  for (std::string type : {"i8", "bf16"}) {
    const std::string out = type == "i8" ? "i32" : "f32", block = "tensor<3x32x64x" + type + ">",
                      right = "tensor<3x64x32x" + type + ">";
    auto iota = [](const std::string &name, const std::string &pointee, int d0, int d1, int d2) {
      const std::string count = number(int64_t(d0) * d1 * d2),
                        shape = number(d0) + "x" + number(d1) + "x" + number(d2) + "x";
      return "  %" + name + "r = tile.range 0 to " + count + " : tensor<" + count + "xi32>\n  %" + name +
             "s = tile.splat %" + name + " : tensor<" + count + "x!tile.ptr<" + pointee + ">>\n  %" + name +
             "f = tile.ptr_add %" + name + "s, %" + name + "r : tensor<" + count + "x!tile.ptr<" + pointee +
             ">>, tensor<" + count + "xi32>\n  %" + name + "p = tile.reshape %" + name + "f : tensor<" + count +
             "x!tile.ptr<" + pointee + ">> -> tensor<" + shape + "!tile.ptr<" + pointee + ">>\n";
    };
    const std::string text =
        "func.func @kernel(%a: !tile.ptr<" + type + ">, %b: !tile.ptr<" + type + ">, %c: !tile.ptr<" + out +
        ">) attributes {tile.kernel} {\n" + iota("a", type, 3, 32, 64) + iota("b", type, 3, 64, 32) +
        iota("c", out, 3, 32, 32) + "  %x = tile.load %ap : tensor<3x32x64x!tile.ptr<" + type + ">> -> " + block +
        "\n  %y = tile.load %bp : tensor<3x64x32x!tile.ptr<" + type + ">> -> " + right +
        "\n  %z = arith.constant dense<" + (type == "i8" ? "0" : "0.0") + "> : tensor<3x32x32x" + out +
        ">\n  %r = tile.dot %x, %y, %z : " + block + ", " + right + " -> tensor<3x32x32x" + out +
        ">\n  tile.store %cp, %r : tensor<3x32x32x!tile.ptr<" + out + ">>, tensor<3x32x32x" + out + ">\n  return\n}\n";
    std::mt19937 random(7);
    std::vector<uint16_t> a(3 * 32 * 64), b(a.size()); // Twice as many bytes as int8 needs.
    for (auto *side : {&a, &b})
      for (uint16_t &value : *side)
        value = type == "i8" ? uint16_t(random()) : uint16_t(0x3f80 + random() % 128);
    std::vector<uint32_t> expected(3 * 32 * 32), actual(expected.size());
    auto slots = [&](std::vector<uint32_t> &c) {
      return std::vector<uint64_t>{reinterpret_cast<uint64_t>(a.data()), reinterpret_cast<uint64_t>(b.data()),
                                   reinterpret_cast<uint64_t>(c.data())};
    };
    auto program = engines::loadKernel(text);
    ASSERT_TRUE(program);
    ASSERT_TRUE(bool(program->launch(slots(expected), {{1, 1, 1}}, nullptr)));
    for (const std::string &target : targets(type)) {
      CompiledKernel kernel(text, target);
      ASSERT_TRUE(bool(kernel));
      kernel.runSlots({1, 1, 1}, slots(actual));
      for (size_t i = 0; i < actual.size(); ++i) {
        if (type == "i8")
          ASSERT_EQ(actual[i], expected[i]) << target << " element " << i;
        else
          ASSERT_NEAR(std::bit_cast<float>(actual[i]), std::bit_cast<float>(expected[i]), 64 * 4 * 2e-7 * 64)
              << target << " element " << i;
      }
    }
  }
}

TEST(CpuDot, OddShapes) {
  for (Shape shape : {Shape{1, 1, 1}, {16, 1, 16}, {3, 5, 7}, {20, 36, 12}, {7, 64, 3}}) {
    compare<float, float>(shape, "f32", "f32", plain, 1e-6);
    compare<int8_t, int32_t>(shape, "i8", "i32", plain, 0, {127});
  }
}

TEST(CpuDot, AccumulatorsOfEveryKind) {
  Shape shape{16, 16, 16};
  // Scaled inside the loop, then read again after it next to the result.
  compare<float, float>(shape, "f32", "f32", R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %half = arith.constant dense<0.5> : ACC
  %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %z) -> (ACC) : i32 {
    %scaled = arith.mulf %acc, %half : ACC
    %next = tile.dot %x, %y, %scaled : DOT
    scf.yield %next : ACC
  }
  %r = arith.addf %l, %z : ACC
)",
                        1e-6);
  // The old accumulator is an operand, and carried on next to the new one.
  compare<float, float>(shape, "f32", "f32", R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %q = arith.constant dense<0.0625> : ACC
  %l:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %z, %old = %z) -> (ACC, ACC) : i32 {
    %next = tile.dot %acc, %y, %acc : DOT
    %small = arith.mulf %next, %q : ACC
    scf.yield %small, %acc : ACC, ACC
  }
  %r = arith.addf %l#0, %l#1 : ACC
)",
                        1e-4);
  // The accumulator is an operand of the dot that replaces it.
  compare<float, float>(shape, "f32", "f32", R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %z) -> (ACC) : i32 {
    %next = tile.dot %acc, %y, %acc : DOT
    scf.yield %next : ACC
  }
)",
                        1e-3);
  // A product used twice, and as an operand of the next one.
  compare<float, float>(shape, "f32", "f32", R"(
  %d = tile.dot %x, %y, %z : DOT
  %e = tile.dot %d, %y, %d : DOT
  %r = arith.subf %e, %d : ACC
)",
                        1e-3);
}

} // namespace
