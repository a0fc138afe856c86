// Kernels written in C++: every part of the language through jit.hpp, and what mistakes are told,
// at the C++ line.
#include "tilewise/jit.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilewise;
using namespace tilewise::literals;
namespace tl = tilewise::tl;

namespace {

template <typename Exception, typename Body> std::string messageOf(Body body) {
  try {
    body();
  } catch (const Exception &error) {
    return error.what();
  } catch (const std::exception &error) {
    return std::string("another exception: ") + error.what();
  }
  return "nothing was thrown";
}

/// "JitTest.cpp:LINE:", as messages have it.
std::string at(int line) { return "JitTest.cpp:" + std::to_string(line) + ":"; }

bool has(const std::string &text, const std::string &part) {
  if (text.find(part) != std::string::npos)
    return true;
  ADD_FAILURE() << "no '" << part << "' in:\n" << text;
  return false;
}

/// What a kernel of one output and one number leaves in 16 floats, on both engines of the host.
std::vector<float> resultOf(const Kernel &kernel, int n) {
  std::vector<std::vector<float>> results;
  for (const char *device : {"reference", "cpu"}) {
    Tensor out = Tensor::from(std::vector<float>(16), {16}, Device(device));
    kernel[1](out, n);
    results.push_back(out.toVector<float>());
  }
  EXPECT_EQ(results[0], results[1]);
  return results[0];
}

template <typename Body> std::vector<float> run(int n, Body body) {
  return resultOf(jit("kernel", {"out", "n"}, body), n);
}

std::vector<float> each(float (*function)(int)) {
  std::vector<float> values;
  for (int i = 0; i < 16; ++i)
    values.push_back(function(i));
  return values;
}

TEST(Jit, RecordsTheKernelLanguage) {
  const auto recording =
      record("scale", {"x", "n", "BLOCK"}, [](tl::ptr<const float> x, tl::i32 n, tl::constexpr_ BLOCK) {
        auto where = tl::program_id(0) * BLOCK + tl::arange(0, BLOCK);
        auto y = tl::load(x + where, tl::mask = where < n, tl::other = -INFINITY);
        y *= 2;
        tl::device_print("it's", y);
      });
  EXPECT_EQ(recording.text(), R"(import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scale(x: '*kfp32', n: 'i32', BLOCK: tl.constexpr):
    _3 = tl.program_id(0)
    _4 = _3 * BLOCK
    _5 = tl.arange(0, BLOCK)
    where = _4 + _5
    _7 = x + where
    _8 = where < n
    y = tl.load(_7, mask=_8, other=float("-inf"))
    y = y * 2
    tl.device_print('it\'s', y)
)");
}

TEST(Jit, OperatorsMeanWhatTheyMeanInKernels) {
  auto got = run(5, [](tl::ptr<float> out, tl::i32 n) {
    auto i = tl::arange(0, 16);
    auto x = (i * 3 + n) % 7 - 2;
    auto y = (x << 2) | (i & 1);
    y = (y ^ 3) >> 1;
    auto z = tl::floordiv(i, 4) + i / 4;
    auto w = tl::where((x > 0) & ~(i == n), -z, z);
    tl::store(out + i, w + y);
  });
  EXPECT_EQ(got, each([](int i) {
              int x = (i * 3 + 5) % 7 - 2, y = ((x << 2) | (i & 1)) ^ 3;
              float z = float(i / 4) + float(i) / 4;
              return (x > 0 && i != 5 ? -z : z) + float(y >> 1);
            }));
}

TEST(Jit, LoopsCarryWhatTheyAssign) {
  auto kernel = [](tl::ptr<float> out, tl::i32 n) {
    auto i = tl::arange(0, 16);
    auto sum = tl::zeros({16}, tl::float32);
    auto before = sum; // A copy keeps what was.
    tl::value power = 1;
    for (auto k : tl::range(0, n)) {
      sum += k * i;
      power = power * 2;
      for (auto inner : tl::static_range(2))
        sum += inner;
    }
    tl::store(out + i, sum + power + before);
  };
  for (int n : {0, 1, 5}) {
    std::vector<float> expected;
    for (int i = 0; i < 16; ++i)
      expected.push_back(float(n * (n - 1) / 2 * i + n + (1 << n)));
    EXPECT_EQ(run(n, kernel), expected) << n;
  }
}

TEST(Jit, BranchesAndWhile) {
  auto kernel = [](tl::ptr<float> out, tl::i32 n) {
    tl::value x = 0;
    tl::if_(n > 3, [&] { x = n * 2; }, [&] { tl::if_(n == 1, [&] { x = 7; }); });
    tl::value steps = 0;
    tl::while_([&] { return x > 1; },
               [&] {
                 x = tl::floordiv(x, 2);
                 steps += 1;
               });
    tl::if_(false, [&] { steps = 1000; });
    tl::store(out + tl::arange(0, 16), steps.to(tl::float32));
  };
  EXPECT_EQ(run(8, kernel)[3], 4);
  EXPECT_EQ(run(1, kernel)[3], 2);
  EXPECT_EQ(run(2, kernel)[3], 0);
}

TEST(Jit, ReductionsScansAndTuples) {
  auto got = run(0, [](tl::ptr<float> out, tl::i32) {
    auto i = tl::arange(0, 16);
    auto x = ((i * 7) % 16).to(tl::float32);
    auto product = tl::reduce(x + 1, 0, [](tl::value a, tl::value b) { return tl::maximum(a, b) + 0.0; });
    auto running = tl::associative_scan(x, 0, [](tl::value a, tl::value b) { return a + b; });
    auto [top, position] = tl::unpack<2>(tl::max(x, 0, tl::return_indices = true));
    auto [low, index] = tl::reduce_all<2>({x, i}, 0, [](tl::value a, tl::value ai, tl::value b, tl::value bi) {
      auto first = a < b;
      return std::array{tl::where(first, a, b), tl::where(first, ai, bi)};
    });
    auto [even, odd] = tl::split(tl::reshape(x, {8, 2}));
    auto halves = tl::sum(even - odd, 0);
    tl::store(out + i, running);
    tl::store(out + i, product, tl::mask = i == 1);
    tl::store(out + i, top * 100 + position, tl::mask = i == 2);
    tl::store(out + i, low * 100 + index, tl::mask = i == 3);
    tl::store(out + i, halves, tl::mask = i == 4);
  });
  // 7 i mod 16: 0 7 14 5 12 3 10 1 8 15 6 13 4 11 2 9
  EXPECT_EQ(std::vector<float>(got.begin(), got.begin() + 6), (std::vector<float>{0, 16, 1509, 0, -8, 41}));
  EXPECT_EQ(got[15], 120);
}

TEST(Jit, CppAroundValuesIsAMacro) {
  // Loops, branches and numbers of C++ are gone before the kernel is.
  for (int terms : {1, 3}) {
    auto kernel = jit("terms", {"out", "n"}, [&](tl::ptr<float> out, tl::i32 n) {
      auto i = tl::arange(0, 16);
      auto sum = tl::zeros({16}, tl::float32);
      for (int term = 0; term < terms; ++term)
        sum += tl::call("libdevice.pow", i.to(tl::float32), tl::full({16}, double(term), tl::float32));
      tl::store(out + i, sum, tl::mask = i < n);
    });
    EXPECT_EQ(resultOf(kernel, 4)[3], terms == 1 ? 1.0f : 13.0f);
  }
}

TEST(Jit, TypesAndConstantsDecideAtCompileTime) {
  auto kernel = jit("typed", {"out", "n", "SIZE"}, [](tl::value out, tl::value, tl::constexpr_ SIZE) {
    auto isInt = out.element_type() == tl::int32;
    auto i = tl::arange(0, SIZE);
    tl::static_assert_(SIZE <= 16, "too wide");
    auto x = i.to(tl::choose(isInt, tl::int32, tl::float32));
    tl::if_(isInt, [&] { x = x << 1; }); // no shift of floats
    tl::store(out + i, x, tl::mask = i < 3);
  });
  Tensor ints = Tensor::from(std::vector<int>(4)), floats = Tensor::from(std::vector<float>(4));
  kernel[1](ints, 0, 4);
  kernel[1](floats, 0, 4);
  EXPECT_EQ(ints.toVector<int>(), (std::vector<int>{0, 2, 4, 0}));
  EXPECT_EQ(floats.toVector<float>(), (std::vector<float>{0, 1, 2, 0}));
  EXPECT_TRUE(has(messageOf<LaunchError>([&] { kernel[1](floats, 0, 32); }), "too wide"));
}

TEST(Jit, DescriptorsAndBlockPointers) {
  auto kernel = jit("move", {"out", "x"}, [](tl::ptr<float> out, tl::ptr<float> in) {
    auto from = tl::make_block_ptr(in, {8, 8}, {8, 1}, {4, 0}, {4, 8}, {1, 0});
    auto to = tl::make_tensor_descriptor(out, {8, 8}, {8, 1}, {4, 8});
    to.store({0, 0}, tl::load(from) + to.load({4, 0}));
  });
  std::vector<float> data(64);
  for (int i = 0; i < 64; ++i)
    data[size_t(i)] = float(i);
  Tensor in = Tensor::from(data), out = Tensor::from(data);
  kernel[1](out, in);
  EXPECT_EQ(out.toVector<float>()[5], 37 + 37);
}

TEST(Jit, MistakesAreToldAtTheCppLine) {
  const int line = __LINE__ + 3;
  auto kernel = jit("wrong", {"x", "BLOCK"}, [](tl::ptr<float> x, tl::constexpr_ BLOCK) {
    auto row = tl::load(x + tl::arange(0, BLOCK));
    auto y = tl::dot(row, row);
    tl::store(x, y);
  });
  Tensor x(DType::Float32, {16});
  const std::string message = messageOf<KernelError>([&] { kernel[1](x, 16); });
  has(message, at(line) + "22: error: tl.dot needs");
  has(message, "  " + std::to_string(line) + " |     auto y = tl::dot(row, row);\n      |                      ^");
  has(message, "note: 'row' is fp32[16], assigned here");
  has(message, at(line - 1));
}

TEST(Jit, ChecksAtRunTimeToldAtTheCppLine) {
  const int line = __LINE__ + 1;
  auto kernel = jit("far", {"x"}, [](tl::ptr<float> x) { tl::store(x + 100000, 1.0); });
  Tensor x(DType::Float32, {16});
  Options options;
  options.checked = true;
  const std::string message = messageOf<LaunchError>([&] { kernel[1].with(options)(x); });
  has(message, at(line));
  has(message, "tl::store(x + 100000, 1.0);");
}

TEST(Jit, TypedParametersAreChecked) {
  auto kernel = jit("typed", {"x", "n"}, [](tl::ptr<float> x, tl::i32 n) { tl::store(x, n); });
  Tensor ints(DType::Int32, {4}), floats(DType::Float32, {4});
  has(messageOf<LaunchError>([&] { kernel[1](ints, 1); }), "argument 'x' is annotated");
  kernel[1](floats, 3);
  EXPECT_EQ(floats.toVector<float>()[0], 3);
  // One type of n, whatever its value.
  kernel[1](floats, 17);
  EXPECT_EQ(kernel.signature(floats, 5), "*fp32:16, i32");
}

TEST(Jit, WhatCannotBeRecordedIsRefused) {
  has(messageOf<KernelError>([] {
        jit("leaves", {"x"}, [](tl::ptr<float> x) {
          for (auto i : tl::range(0, 4)) {
            tl::store(x + i, 1.0);
            break;
          }
        });
      }),
      "leaves a tl::range loop by break or return");
  has(messageOf<KernelError>([] {
        jit("captures", {"x"}, [](tl::ptr<float> x) {
          auto i = tl::arange(0, 4);
          tl::store(x, tl::reduce(i, 0, [&](tl::value a, tl::value b) { return a + b + i; }));
        });
      }),
      "can use its parameters only");
  std::vector<tl::value> kept;
  jit("first", {"x"}, [&](tl::ptr<float> x) { kept.push_back(tl::load(x)); });
  has(messageOf<LaunchError>([&] { jit("second", {"x"}, [&](tl::ptr<float> x) { tl::store(x, kept.front()); }); }),
      "a value of one kernel is used in another");
  has(messageOf<LaunchError>([] { tl::program_id(0); }), "outside of a kernel");
  has(messageOf<KernelError>([] { jit("no-name", {"x"}, [](tl::value) {}); }), "a kernel's name is an identifier");
  has(messageOf<KernelError>([] { jit("keyword", {"in"}, [](tl::value) {}); }), "has a meaning in the kernel language");
  has(messageOf<KernelError>([] { jit("twice", {"x", "x"}, [](tl::value, tl::value) {}); }), "two parameters");
  has(messageOf<KernelError>([] { jit("wrong", {"x"}, [](tl::value) { tl::call("1 + 1", 2); }); }),
      "the language has no function '1 + 1'");
  // What C++ throws goes through.
  EXPECT_THROW(jit("throws", {"x"}, [](tl::value) { throw std::out_of_range("mine"); }), std::out_of_range);
  EXPECT_THROW(jit("throws", {"x"},
                   [](tl::value) {
                     for ([[maybe_unused]] auto i : tl::range(0, 4))
                       throw std::out_of_range("mine");
                   }),
               std::out_of_range);
}

TEST(Jit, AnUnknownFunctionIsToldAsInAKernelFile) {
  const int line = __LINE__ + 1;
  auto kernel = jit("unknown", {"x"}, [](tl::ptr<float> x) { tl::store(x, tl::call("tl.sinn", 1.0)); });
  Tensor x(DType::Float32, {16});
  const std::string message = messageOf<KernelError>([&] { kernel[1](x); });
  has(message, at(line));
  has(message, "sinn");
}

TEST(Jit, TheCInterfaceChecksItsBlocks) {
  tw_recorder *recorder = nullptr;
  const tw_place place = {"host.f90", 3, 1};
  ASSERT_EQ(tw_recorder_create("kernel", place, &recorder), TW_OK);
  tw_item yes = {};
  yes.kind = TW_ITEM_BOOL;
  yes.integer = 1;
  EXPECT_EQ(tw_recorder_else(recorder, place), TW_ERROR_KERNEL);
  EXPECT_EQ(tw_recorder_end(recorder), TW_ERROR_LAUNCH);
  ASSERT_EQ(tw_recorder_if(recorder, &yes, place), TW_OK);
  char *text = nullptr;
  EXPECT_EQ(tw_recorder_text(recorder, &text), TW_ERROR_KERNEL);
  has(tw_last_error(), "host.f90:3:1: error: a block of the kernel 'kernel' is not ended");
  ASSERT_EQ(tw_recorder_end(recorder), TW_OK);
  uint32_t value = 0;
  yes.kind = 77;
  EXPECT_EQ(tw_recorder_operator(recorder, "not", &yes, 1, place, &value), TW_ERROR_LAUNCH);
  yes.kind = TW_ITEM_VALUE;
  yes.value = 99;
  EXPECT_EQ(tw_recorder_operator(recorder, "not", &yes, 1, place, &value), TW_ERROR_KERNEL);
  yes.kind = TW_ITEM_NONE;
  EXPECT_EQ(tw_recorder_operator(recorder, "?", &yes, 1, place, &value), TW_ERROR_KERNEL);
  EXPECT_EQ(tw_recorder_parameter(recorder, "late", "", place, &value), TW_ERROR_KERNEL);
  tw_recorder_destroy(recorder);
}

} // namespace
