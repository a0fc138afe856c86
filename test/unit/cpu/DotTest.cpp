// tile.dot on the CPU engine against the reference engine: element types, shapes off the micro-kernel's tile, accumulators in and out of loops.
#include "CpuHarness.h"
#include "reference/RunKernel.h"

#include <cmath>
#include <random>

using namespace tilewise;
using namespace tilewise::cputest;

namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// Text that loads or stores a row-major block [rows, columns] through pointer %name.
std::string pointers(const std::string &name, int rows, int columns, const std::string &element) {
  std::string m = number(rows), n = number(columns), both = m + "x" + n;
  return "  %" + name + "i = tile.range 0 to " + m + " : tensor<" + m + "xi32>\n  %" + name + "j = tile.range 0 to " +
         n + " : tensor<" + n + "xi32>\n  %" + name + "c = arith.constant dense<" + n + "> : tensor<" + m +
         "xi32>\n  %" + name + "o = arith.muli %" + name + "i, %" + name + "c : tensor<" + m + "xi32>\n  %" + name +
         "e = tile.expand_dims %" + name + "o at 1 : tensor<" + m + "xi32> -> tensor<" + m + "x1xi32>\n  %" + name +
         "f = tile.expand_dims %" + name + "j at 0 : tensor<" + n + "xi32> -> tensor<1x" + n + "xi32>\n  %" + name +
         "g = tile.broadcast %" + name + "e : tensor<" + m + "x1xi32> -> tensor<" + both + "xi32>\n  %" + name +
         "h = tile.broadcast %" + name + "f : tensor<1x" + n + "xi32> -> tensor<" + both + "xi32>\n  %" + name +
         "k = arith.addi %" + name + "g, %" + name + "h : tensor<" + both + "xi32>\n  %" + name + "s = tile.splat %" +
         name + " : tensor<" + both + "x!tile.ptr<" + element + ">>\n  %" + name + "p = tile.ptr_add %" + name +
         "s, %" + name + "k : tensor<" + both + "x!tile.ptr<" + element + ">>, tensor<" + both + "xi32>\n";
}

struct Shape {
  int m, n, k;
};

/// c = body(a, b, c); `body` names %x, %y, %z and its result %r.
template <typename In, typename Out>
void compare(Shape s, const std::string &in, const std::string &out, const std::string &body, double tolerance) {
  SCOPED_TRACE(in + " " + out + " " + number(s.m) + "x" + number(s.n) + "x" + number(s.k) + "\n" + body);
  std::string ta = "tensor<" + number(s.m) + "x" + number(s.k) + "x",
              tb = "tensor<" + number(s.k) + "x" + number(s.n) + "x",
              tc = "tensor<" + number(s.m) + "x" + number(s.n) + "x";
  auto load = [](const std::string &value, const std::string &from, const std::string &t, const std::string &element) {
    return "  %" + value + " = tile.load %" + from + "p : " + t + "!tile.ptr<" + element + ">> -> " + t + element +
           ">\n";
  };
  std::string text = "func.func @kernel(%a: !tile.ptr<" + in + ">, %b: !tile.ptr<" + in + ">, %c: !tile.ptr<" + out +
                     ">) attributes {tile.kernel} {\n" + pointers("a", s.m, s.k, in) + pointers("b", s.k, s.n, in) +
                     pointers("c", s.m, s.n, out) + load("x", "a", ta, in) + load("y", "b", tb, in) +
                     load("z", "c", tc, out);
  std::string types = ta + in + ">, " + tb + in + "> -> " + tc + out + ">", filled = body;
  for (size_t at; (at = filled.find("DOT")) != std::string::npos;)
    filled.replace(at, 3, types);
  for (size_t at; (at = filled.find("ACC")) != std::string::npos;)
    filled.replace(at, 3, tc + out + ">");
  text += filled + "  tile.store %cp, %r : " + tc + "!tile.ptr<" + out + ">>, " + tc + out + ">\n  return\n}\n";

  std::mt19937 random(5);
  auto fill = [&](auto &values) {
    for (auto &value : values) {
      double number = double(int(random() % 17) - 8) / (in[0] == 'i' ? 1 : 4);
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
  std::vector<Out> expected = start, actual = start;
  auto slots = [&](std::vector<Out> &c) {
    return std::vector<uint64_t>{reinterpret_cast<uint64_t>(a.data()), reinterpret_cast<uint64_t>(b.data()),
                                 reinterpret_cast<uint64_t>(c.data())};
  };
  auto program = reference::loadKernel(text);
  ASSERT_TRUE(program);
  ASSERT_TRUE(bool(program->run(slots(expected), {1, 1, 1})));
  for (std::string target : {"cpu", "cpu:haswell"}) {
    actual = start;
    CompiledKernel kernel(text, target);
    ASSERT_TRUE(bool(kernel));
    kernel.runSlots({1, 1, 1}, slots(actual));
    for (size_t i = 0; i < actual.size(); ++i)
      ASSERT_NEAR(double(actual[i]), double(expected[i]), tolerance * s.k * 8) << target << " element " << i;
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

TEST(CpuDot, OddShapes) {
  for (Shape shape : {Shape{1, 1, 1}, {16, 1, 16}, {3, 5, 7}, {20, 36, 12}, {7, 64, 3}})
    compare<float, float>(shape, "f32", "f32", plain, 1e-6);
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
  // A product used twice, and as an operand of the next one.
  compare<float, float>(shape, "f32", "f32", R"(
  %d = tile.dot %x, %y, %z : DOT
  %e = tile.dot %d, %y, %d : DOT
  %r = arith.subf %e, %d : ACC
)",
                        1e-3);
}

} // namespace
