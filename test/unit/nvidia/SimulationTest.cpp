// Kernels lowered for an NVIDIA GPU and run by the thread simulator, compared with plain C++ and,
// within bounds, exactly.
#include "NvidiaTesting.h"
#include "SharedRaces.h"
#include "TestRoot.h"
#include "ThreadSimulator.h"

#include "driver/Compile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tilewise::nvidiatest {

namespace {

/// An array of a kernel's element type, aligned as GPU memory is, that floats are written to and
/// read from.
class Array {
public:
  Array(std::string type, size_t count)
      : type_(std::move(type)), count_(count), bytes_(bytesOf(type_)), storage_(count * bytes_ + 256) {
    base_ = storage_.data() + (-uintptr_t(storage_.data()) & 255);
  }
  uint64_t slot() const { return uint64_t(uintptr_t(base_)); }
  Span span() const { return {base_, count_ * bytes_}; }
  size_t size() const { return count_; }

  void set(size_t index, float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    if (type_ == "fp16")
      bits = std::bit_cast<uint16_t>(_Float16(value));
    else if (type_ == "bf16")
      bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    else if (type_ == "i32")
      bits = uint32_t(int32_t(value));
    std::memcpy(base_ + index * bytes_, &bits, bytes_);
  }
  float get(size_t index) const {
    uint32_t bits = 0;
    std::memcpy(&bits, base_ + index * bytes_, bytes_);
    if (type_ == "fp16")
      return float(std::bit_cast<_Float16>(uint16_t(bits)));
    if (type_ == "bf16")
      return std::bit_cast<float>(bits << 16);
    return type_ == "i32" ? float(int32_t(bits)) : std::bit_cast<float>(bits);
  }
  /// Numbers of mixed size and sign, the same in every run.
  void fill(uint32_t seed) {
    for (size_t i = 0; i < count_; ++i) {
      seed = seed * 1664525 + 1013904223;
      set(i, float(int32_t(seed >> 8) % 2001 - 1000) / 250.0f);
    }
  }

private:
  static size_t bytesOf(const std::string &type) { return type == "fp32" || type == "i32" ? 4 : 2; }
  std::string type_;
  size_t count_, bytes_;
  std::vector<uint8_t> storage_;
  uint8_t *base_;
};

/// Relative error of one rounding to the type.
float epsilonOf(const std::string &type) { return type == "fp32" ? 0x1p-24f : type == "fp16" ? 0x1p-11f : 0x1p-8f; }

struct Kernel {
  std::string path, text;

  static Kernel file(const std::string &name) { return {name + ".py", test::readRootFile("kernels/" + name + ".py")}; }

  /// Compiles and runs, forwards and backwards; the second run must not differ.
  void run(const std::string &name, const std::string &signature, std::vector<uint64_t> arguments,
           std::vector<const Array *> arrays, std::array<uint32_t, 3> grid, unsigned numWarps = 4,
           int capability = 90) const {
    SourceFile source(path, text);
    CompileRequest request;
    request.kernel.file = &source;
    request.kernel.kernel = name;
    auto parsed = frontend::parseSignature(signature);
    ASSERT_TRUE(bool(parsed)) << parsed.failure().message;
    request.kernel.arguments = *parsed;
    request.target.engine = Engine::Nvidia;
    request.target.capability = capability;
    Result<std::string> tileIr = emitStage(request, "opt");
    ASSERT_TRUE(bool(tileIr)) << tileIr.failure().message;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = lowerTileIr(*tileIr, context, capability, {.numWarps = numWarps});
    ASSERT_TRUE(bool(module)) << *tileIr;
    Simulation simulation{*module, std::move(arguments), {}, grid};
    for (const Array *array : arrays)
      simulation.memory.push_back(array->span());
    for (bool backwards : {true, false}) {
      simulation.backwards = backwards;
      ASSERT_EQ(simulation.run(), "") << *tileIr;
      std::string now(static_cast<const char *>(arrays.back()->span().begin), arrays.back()->span().bytes);
      if (backwards)
        first = now;
      else
        EXPECT_EQ(first == now, true) << "the order of threads shows";
    }
  }
  mutable std::string first = {};
};

class NvidiaSimulation : public testing::TestWithParam<const char *> {
protected:
  std::string type = GetParam();
  std::string pointer = "*" + type + ":16";
};

TEST_P(NvidiaSimulation, VectorAdd) {
  for (int n : {1, 129, 1000, 1500, 2048}) {
    Array x(type, n), y(type, n), z(type, n), expected(type, n);
    x.fill(1);
    y.fill(2);
    Kernel::file("vector_add")
        .run("vector_add", pointer + "," + pointer + "," + pointer + ",i32,1024",
             {x.slot(), y.slot(), z.slot(), uint64_t(n)}, {&x, &y, &z}, {uint32_t((n + 1023) / 1024), 1, 1}, 4,
             n % 2 ? 75 : 90);
    for (int i = 0; i < n; ++i) {
      expected.set(i, x.get(i) + y.get(i));
      ASSERT_EQ(z.get(i), expected.get(i)) << n << " at " << i;
    }
  }
}

TEST_P(NvidiaSimulation, Softmax) {
  for (auto [columns, block, warps] : {std::tuple(1, 1, 4), std::tuple(5, 8, 4), std::tuple(33, 64, 1),
                                       std::tuple(300, 512, 4), std::tuple(781, 1024, 8)}) {
    const int rows = 2;
    // Half of fp16's smallest step: results of softmax go below its normal numbers.
    const double smallest = type == "fp16" ? 0x1p-25 : 0;
    Array in(type, rows * columns), out(type, rows * columns);
    in.fill(3);
    Kernel::file("softmax").run("softmax", pointer + "," + pointer + ",i32,i32,i32," + std::to_string(block),
                                {out.slot(), in.slot(), uint64_t(columns), uint64_t(columns), uint64_t(columns)},
                                {&in, &out}, {rows, 1, 1}, warps);
    for (int row = 0; row < rows; ++row) {
      double most = -INFINITY, sum = 0;
      for (int i = 0; i < columns; ++i)
        most = std::fmax(most, in.get(row * columns + i));
      for (int i = 0; i < columns; ++i)
        sum += std::exp(in.get(row * columns + i) - most);
      for (int i = 0; i < columns; ++i) {
        double expected = std::exp(in.get(row * columns + i) - most) / sum;
        ASSERT_NEAR(out.get(row * columns + i), expected, expected * (epsilonOf(type) * 1.01 + 2e-6) + smallest)
            << columns << " at " << row << ", " << i;
      }
    }
  }
}

TEST_P(NvidiaSimulation, Greyscale) {
  for (auto [height, width] : {std::pair(7, 50), std::pair(20, 96)}) {
    Array in(type, 3 * height * width), out(type, height * width);
    in.fill(4);
    std::string dims = width % 16 ? ",i32,i32,16,64" : ",i32,i32:16,16,64";
    Kernel::file("greyscale")
        .run("greyscale", pointer + "," + pointer + dims, {in.slot(), out.slot(), uint64_t(height), uint64_t(width)},
             {&in, &out}, {uint32_t((height + 15) / 16), uint32_t((width + 63) / 64), 1});
    int plane = height * width;
    for (int i = 0; i < plane; ++i) {
      double r = in.get(i), g = in.get(plane + i), b = in.get(2 * plane + i);
      double size = 0.299 * std::fabs(r) + 0.587 * std::fabs(g) + 0.114 * std::fabs(b);
      ASSERT_NEAR(out.get(i), 0.299 * r + 0.587 * g + 0.114 * b, size * 4 * epsilonOf(type)) << i;
    }
  }
}

TEST_P(NvidiaSimulation, Matmul) {
  struct Shape {
    int m, n, k, bm, bn, bk, warps;
    bool transposedB;
  };
  for (Shape s : {Shape{40, 50, 21, 32, 32, 16, 4, false}, Shape{16, 16, 16, 16, 16, 16, 4, false},
                  Shape{33, 70, 40, 64, 64, 32, 4, true}, Shape{20, 9, 17, 16, 16, 16, 1, true},
                  Shape{64, 64, 32, 64, 64, 32, 8, false},
                  // Rings with several turns, tiles of several panels, two groups of warps by rows
                  // and by columns.
                  Shape{100, 144, 240, 128, 64, 32, 4, false}, Shape{128, 64, 336, 128, 64, 64, 8, true},
                  Shape{64, 128, 272, 64, 128, 128, 8, false}, Shape{90, 70, 77, 64, 64, 16, 4, false}}) {
    if (type == "fp32" && s.m * s.n * s.k > 200000)
      continue; // Half a minute of FMAs, and nothing that the others do not show.
    Array a(type, s.m * s.k), b(type, s.k * s.n), c(type, s.m * s.n);
    a.fill(5);
    b.fill(6);
    uint64_t bk = s.transposedB ? 1 : s.n, bn = s.transposedB ? s.k : 1;
    std::string blocks = std::to_string(s.bm) + "," + std::to_string(s.bn) + "," + std::to_string(s.bk);
    bool even = s.k % 16 == 0 && s.n % 16 == 0;
    std::string stride = even ? "i32:16" : "i32";
    std::string strides = stride + ",1," + (s.transposedB ? "1," + stride : stride + ",1") + "," + stride + ",1,";
    std::vector<uint64_t> arguments = {a.slot(),      b.slot(),      c.slot(),      uint64_t(s.m),
                                       uint64_t(s.n), uint64_t(s.k), uint64_t(s.k), s.transposedB ? bn : bk,
                                       uint64_t(s.n)};
    Kernel::file("matmul").run("matmul", pointer + "," + pointer + "," + pointer + ",i32,i32,i32," + strides + blocks,
                               arguments, {&a, &b, &c},
                               {uint32_t((s.m + s.bm - 1) / s.bm), uint32_t((s.n + s.bn - 1) / s.bn), 1}, s.warps);
    for (int i = 0; i < s.m; ++i)
      for (int j = 0; j < s.n; ++j) {
        double sum = 0, size = 0;
        for (int k = 0; k < s.k; ++k) {
          double product = double(a.get(i * s.k + k)) * b.get(k * bk + j * bn);
          sum += product;
          size += std::fabs(product);
        }
        ASSERT_NEAR(c.get(i * s.n + j), sum, s.k * 0x1p-24 * size + epsilonOf(type) * std::fabs(sum) * 1.01)
            << i << ", " << j << " of " << s.m;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, NvidiaSimulation, testing::Values("fp32", "fp16", "bf16"));

/// A block is read row by row and written column by column: the two layouts meet in shared memory.
TEST(NvidiaSimulator, Transpose) {
  Kernel kernel{"transpose.py", R"(
import triton
import triton.language as tl

@triton.jit
def transpose(source, out, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(source + m[:, None] * N + n[None, :])
    tl.store(out + n[None, :] * M + m[:, None], x)
)"};
  for (auto [m, n, warps] :
       {std::tuple(1, 1, 4), std::tuple(4, 8, 4), std::tuple(32, 64, 4), std::tuple(64, 16, 2), std::tuple(8, 256, 1)})
    for (std::string type : {"fp32", "fp16"}) {
      Array in(type, m * n), out(type, m * n);
      in.fill(7);
      kernel.run("transpose", "*" + type + ":16,*" + type + ":16," + std::to_string(m) + "," + std::to_string(n),
                 {in.slot(), out.slot()}, {&in, &out}, {1, 1, 1}, warps);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          ASSERT_EQ(out.get(j * m + i), in.get(i * n + j)) << m << "x" << n << " at " << i << ", " << j;
    }
}

/// Sums along either axis, over blocks smaller and larger than the program: copies must not be
/// counted twice. Integers are exact.
TEST(NvidiaSimulator, Reduce) {
  Kernel kernel{"reduce.py", R"(
import triton
import triton.language as tl

@triton.jit
def reduce(source, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(source + m[:, None] * N + n[None, :])
    s = tl.sum(x, axis=AXIS)
    if AXIS == 0:
        tl.store(out + n, s)
    else:
        tl.store(out + m, s)
)"};
  for (auto [m, n, warps] : {std::tuple(1, 1, 4), std::tuple(2, 4, 4), std::tuple(16, 16, 8), std::tuple(64, 32, 4),
                             std::tuple(4, 512, 4), std::tuple(256, 8, 2)})
    for (int axis : {0, 1}) {
      Array in("i32", m * n), out("i32", axis == 0 ? n : m);
      for (int i = 0; i < m * n; ++i)
        in.set(i, float(i % 97 - 40));
      kernel.run("reduce",
                 "*i32:16,*i32:16," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(axis),
                 {in.slot(), out.slot()}, {&in, &out}, {1, 1, 1}, warps);
      for (int i = 0; i < int(out.size()); ++i) {
        int expected = 0;
        for (int j = 0; j < (axis == 0 ? m : n); ++j)
          expected += int(in.get(axis == 0 ? j * n + i : i * n + j));
        ASSERT_EQ(out.get(i), float(expected)) << m << "x" << n << " along " << axis << " at " << i;
      }
    }
}

/// Two dots, reductions and carried blocks in one loop: many places in shared memory with barriers
/// between them.
TEST(NvidiaSimulator, Attention) {
  struct Shape {
    int queries, keys, head, block, warps;
    std::string type;
  };
  // Half precision in blocks of 64 is multiplied by wgmma: one key block, several, and none.
  for (auto [queries, keys, head, block, warps, type] :
       {Shape{32, 64, 16, 32, 4, "fp32"}, Shape{21, 40, 16, 32, 2, "fp32"}, Shape{64, 64, 64, 64, 4, "fp16"},
        Shape{90, 290, 32, 64, 4, "fp16"}, Shape{120, 200, 64, 128, 8, "bf16"}}) {
    int tokens = std::max(queries, keys);
    Array q(type, tokens * head), k(type, tokens * head), v(type, tokens * head), out(type, tokens * head);
    q.fill(9);
    k.fill(10);
    v.fill(11);
    float scale = 0.25f;
    std::string pointer = "*" + type + ":16", blocks = std::to_string(block);
    uint32_t programs = (queries + block - 1) / block;
    Kernel::file("attention")
        .run("attention",
             pointer + "," + pointer + "," + pointer + "," + pointer + ",i32,i32,fp32,i32:16,i32:16," +
                 std::to_string(head) + "," + blocks + "," + (block == 128 ? "64" : blocks) + ",False",
             {q.slot(), k.slot(), v.slot(), out.slot(), uint64_t(queries), uint64_t(keys),
              std::bit_cast<uint32_t>(scale), uint64_t(tokens * head), uint64_t(head)},
             {&q, &k, &v, &out}, {programs, 1, 1}, warps);
    for (int i = 0; i < queries; ++i) {
      std::vector<double> weights(keys);
      double most = -INFINITY, sum = 0;
      for (int j = 0; j < keys; ++j) {
        for (int d = 0; d < head; ++d)
          weights[j] += double(q.get(i * head + d)) * k.get(j * head + d);
        weights[j] *= scale;
        most = std::fmax(most, weights[j]);
      }
      for (double &weight : weights)
        sum += weight = std::exp(weight - most);
      for (int d = 0; d < head; ++d) {
        double expected = 0;
        for (int j = 0; j < keys; ++j)
          expected += weights[j] / sum * v.get(j * head + d);
        ASSERT_NEAR(out.get(i * head + d), expected, 1e-4 + 8 * epsilonOf(type)) << i << ", " << d << " " << type;
      }
    }
  }
}

/// The simulator itself must be able to fail: without its barriers a reduction across warps reads
/// what is not there yet.
TEST(NvidiaSimulator, MissingBarrierShows) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = lowerTileIr(softmaxIr("f32", 512), context, 90);
  ASSERT_TRUE(bool(module));
  Array in("fp32", 512), out("fp32", 512);
  in.fill(8);
  auto run = [&](bool backwards) {
    Simulation simulation{*module, {out.slot(), in.slot(), 512, 512, 512}, {in.span(), out.span()}};
    simulation.backwards = backwards;
    return simulation.run();
  };
  EXPECT_EQ(run(false) + run(true), "");
  module->walk([](mlir::LLVM::CallIntrinsicOp call) {
    if (call.getIntrin() == "llvm.nvvm.barrier0")
      call.erase();
  });
  for (bool backwards : {false, true})
    EXPECT_NE(run(backwards).find("a race: "), std::string::npos);
}

TEST(NvidiaSimulator, AccessOutOfBoundsShows) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = lowerTileIr(vectorAddIr("f32", 128), context, 90);
  ASSERT_TRUE(bool(module));
  Array x("fp32", 100), y("fp32", 128), z("fp32", 128);
  Simulation simulation{*module, {x.slot(), y.slot(), z.slot(), 128}, {x.span(), y.span(), z.span()}};
  EXPECT_EQ(simulation.run(), "access out of bounds");
}

TEST(NvidiaRaces, WhatMayMeet) {
  const uint8_t zero = 0, one = 1;
  SharedRaces races(4);
  races.write(0, 0, 1, &zero, &one);
  races.write(5, 0, 1, &one, &one); // a copy of the same element
  races.read(5, 0, 1);
  races.meet();
  races.read(1, 0, 1);
  races.read(32, 0, 1);
  races.read(SharedRaces::group(1), 2, 1);
  races.write(130, 2, 1, &zero, &one); // of those warps themselves
  races.write(SharedRaces::kAtomic, 3, 1, &zero, &one);
  races.write(SharedRaces::kAtomic, 3, 1, &one, &zero);
  EXPECT_EQ(races.error(), "");
  races.write(2, 0, 1, &one, &zero);
  EXPECT_EQ(races.error(), "a race: thread 2 writes byte 0 of shared memory, which several threads read, with no "
                           "barrier between");
  SharedRaces writers(1);
  writers.write(0, 0, 1, &zero, &one);
  writers.write(1, 0, 1, &one, &zero);
  writers.meet();
  EXPECT_EQ(writers.error(), ""); // Nobody needs what they wrote.
  writers.read(2, 0, 1);
  EXPECT_EQ(writers.error(), "a race: thread 2 reads byte 0 of shared memory, which thread 1 wrote as another one did, "
                             "with no barrier between");
  SharedRaces others(1);
  others.read(SharedRaces::group(1), 0, 1);
  others.write(3, 0, 1, &zero, &one);
  EXPECT_EQ(others.error(),
            "a race: thread 3 writes byte 0 of shared memory, which warps 4 to 7 read, with no barrier between");
}

/// What once was a signal stays one.
TEST(NvidiaRaces, SignalsHaveTheirOwnMemory) {
  const uint8_t zero = 0, one = 1;
  SharedRaces written(16);
  written.keepForSignal(8, 8);
  written.meet();
  written.write(1, 7, 1, &zero, &one);
  EXPECT_EQ(written.error(), "");
  written.write(1, 8, 1, &zero, &one);
  EXPECT_EQ(written.error(), "thread 1 writes at byte 8 of shared memory, which serves a signal and something else");
  SharedRaces made(16);
  made.write(1, 15, 1, &zero, &one);
  made.meet();
  made.keepForSignal(8, 8);
  EXPECT_EQ(made.error(), "a signal is made at byte 15 of shared memory, which serves a signal and something else");
}

/// A warp that meets orders what its own lanes did, and nobody else's.
TEST(NvidiaRaces, WhatAWarpOrders) {
  const uint8_t zero = 0, one = 1;
  SharedRaces races(2);
  races.write(1, 0, 1, &zero, &one);
  races.meet(0);
  races.read(2, 0, 1);
  races.read(3, 0, 1);
  races.meet(0);
  races.write(4, 0, 1, &one, &zero);
  races.write(33, 1, 1, &zero, &one);
  races.meet(0);
  EXPECT_EQ(races.error(), "");
  races.read(2, 1, 1);
  EXPECT_EQ(races.error(),
            "a race: thread 2 reads byte 1 of shared memory, which thread 33 wrote, with no barrier between");
  SharedRaces early(1);
  early.read(1, 0, 1);
  early.read(2, 0, 1);
  early.write(3, 0, 1, &zero, &one);
  EXPECT_EQ(early.error(),
            "a race: thread 3 writes byte 0 of shared memory, which warp 0 read, with no barrier between");
}

} // namespace

} // namespace tilewise::nvidiatest
