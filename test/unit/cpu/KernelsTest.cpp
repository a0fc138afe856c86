// The four plain kernels as tile IR through the CPU back end, against plain loops.
#include "CpuHarness.h"

#include <cmath>
#include <random>

using namespace tilewise::cputest;

namespace {

std::vector<float> randomFloats(size_t count, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> values(count);
  for (float &value : values)
    value = uniform(generator);
  return values;
}

constexpr char vectorAdd[] = R"(
func.func @vector_add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c1024 : i32
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %fs = tile.splat %first : tensor<1024xi32>
  %at = arith.addi %fs, %r : tensor<1024xi32>
  %ns = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %at, %ns : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %xv = tile.load %xp mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %yp = tile.ptr_add %ys, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %yv = tile.load %yp mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %sum = arith.addf %xv, %yv : tensor<1024xf32>
  %zs = tile.splat %z : tensor<1024x!tile.ptr<f32>>
  %zp = tile.ptr_add %zs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %zp, %sum mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
)";

TEST(CpuKernels, VectorAdd) {
  CompiledKernel kernel(vectorAdd);
  for (int n : {1, 15, 16, 17, 1000, 1023, 1024, 1025, 5000}) {
    auto x = randomFloats(n), y = randomFloats(n, 2);
    std::vector<float> z(n + 16, -7.0f);
    kernel.run({uint32_t(n + 1023) / 1024, 1, 1}, x.data(), y.data(), z.data(), n);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(z[i], x[i] + y[i]) << "n " << n << " i " << i;
    for (int i = n; i < n + 16; ++i)
      ASSERT_EQ(z[i], -7.0f) << "written beyond the end, n " << n;
  }
}

TEST(CpuKernels, VectorAddPastTheCaches) {
  CompiledKernel kernel(vectorAdd);
  kernel.streams = true;
  for (int n : {1, 16, 17, 1000, 1024, 5000})
    for (int shift : {0, 1, 16}) {
      // In elements, off the boundary that streaming needs, and back on it.
      auto x = randomFloats(n), y = randomFloats(n, 2);
      std::vector<float> memory(n + 64, -7.0f);
      float *z = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) / 4 % 16 + shift;
      kernel.run({uint32_t(n + 1023) / 1024, 1, 1}, x.data(), y.data(), z, n);
      for (int i = 0; i < n; ++i)
        ASSERT_EQ(z[i], x[i] + y[i]) << "n " << n << " shift " << shift << " i " << i;
      for (float *end = z + n; end < memory.data() + memory.size(); ++end)
        ASSERT_EQ(*end, -7.0f) << "written beyond the end, n " << n << " shift " << shift;
    }
}

TEST(CpuKernels, VectorAddOverlapping) {
  CompiledKernel kernel(vectorAdd);
  for (int shift : {0, 1, 5, 16, -1, -40}) {
    int n = 1000;
    auto memory = randomFloats(n + 100), expected = memory, y = randomFloats(n, 2);
    float *x = memory.data() + 50;
    for (int i = 0; i < n; ++i)
      expected[50 + shift + i] = memory[50 + i] + y[i];
    kernel.run({1, 1, 1}, x, y.data(), x + shift, n);
    ASSERT_EQ(memory, expected) << "shift " << shift;
  }
}

constexpr char softmax[] = R"(
func.func @softmax(%out: !tile.ptr<f32>, %in: !tile.ptr<f32>, %outStride: i32, %inStride: i32, %columns: i32) attributes {tile.kernel} {
  %row = tile.program_id 0
  %column = tile.range 0 to 1024 : tensor<1024xi32>
  %cs = tile.splat %columns : tensor<1024xi32>
  %inside = arith.cmpi slt, %column, %cs : tensor<1024xi32>
  %o = arith.muli %row, %inStride : i32
  %p = tile.ptr_add %in, %o : !tile.ptr<f32>, i32
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
  %ptrs = tile.ptr_add %ps, %column : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %other = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %x = tile.load %ptrs mask %inside : tensor<1024xi1> other %other : tensor<1024xf32> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %top = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<1024xf32>) -> f32
  %tops = tile.splat %top : tensor<1024xf32>
  %d = arith.subf %x, %tops : tensor<1024xf32>
  %w = math.exp %d : tensor<1024xf32>
  %sum = tile.reduce(%w) along 0 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  } : (tensor<1024xf32>) -> f32
  %sums = tile.splat %sum : tensor<1024xf32>
  %y = arith.divf %w, %sums : tensor<1024xf32>
  %oo = arith.muli %row, %outStride : i32
  %op = tile.ptr_add %out, %oo : !tile.ptr<f32>, i32
  %ops = tile.splat %op : tensor<1024x!tile.ptr<f32>>
  %optrs = tile.ptr_add %ops, %column : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %optrs, %y mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
)";

TEST(CpuKernels, Softmax) {
  CompiledKernel kernel(softmax);
  for (int columns : {1, 3, 16, 100, 781, 1000, 1024}) {
    int rows = 5, stride = columns + 3;
    auto x = randomFloats(rows * stride);
    std::vector<float> y(rows * stride, -7.0f);
    kernel.run({uint32_t(rows), 1, 1}, y.data(), x.data(), stride, stride, columns);
    for (int r = 0; r < rows; ++r) {
      double top = -INFINITY, sum = 0;
      for (int c = 0; c < columns; ++c)
        top = std::max(top, double(x[r * stride + c]));
      for (int c = 0; c < columns; ++c)
        sum += std::exp(x[r * stride + c] - top);
      for (int c = 0; c < columns; ++c)
        ASSERT_NEAR(y[r * stride + c], std::exp(x[r * stride + c] - top) / sum,
                    2e-6 * std::exp(x[r * stride + c] - top) / sum);
      for (int c = columns; c < stride; ++c)
        ASSERT_EQ(y[r * stride + c], -7.0f);
    }
  }
}

constexpr char matmul[] = R"(
func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %M: i32, %N: i32, %K: i32, %sam: i32, %sak: i32, %sbk: i32, %sbn: i32,
                  %scm: i32, %scn: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c32 = arith.constant 32 : i32
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %c64 : i32
  %n0 = arith.muli %pn, %c64 : i32
  %r64 = tile.range 0 to 64 : tensor<64xi32>
  %k = tile.range 0 to 32 : tensor<32xi32>
  %m0s = tile.splat %m0 : tensor<64xi32>
  %n0s = tile.splat %n0 : tensor<64xi32>
  %m = arith.addi %m0s, %r64 : tensor<64xi32>
  %n = arith.addi %n0s, %r64 : tensor<64xi32>
  %mc = tile.expand_dims %m at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %nr = tile.expand_dims %n at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %kr = tile.expand_dims %k at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %kc = tile.expand_dims %k at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %sams = tile.splat %sam : tensor<64x1xi32>
  %saks = tile.splat %sak : tensor<1x32xi32>
  %sbks = tile.splat %sbk : tensor<32x1xi32>
  %sbns = tile.splat %sbn : tensor<1x64xi32>
  %ao = arith.muli %mc, %sams : tensor<64x1xi32>
  %ak = arith.muli %kr, %saks : tensor<1x32xi32>
  %as = tile.splat %a : tensor<64x1x!tile.ptr<f32>>
  %ap0 = tile.ptr_add %as, %ao : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %ap1 = tile.broadcast %ap0 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
  %akb = tile.broadcast %ak : tensor<1x32xi32> -> tensor<64x32xi32>
  %aptrs = tile.ptr_add %ap1, %akb : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %bo = arith.muli %kc, %sbks : tensor<32x1xi32>
  %bn = arith.muli %nr, %sbns : tensor<1x64xi32>
  %bs = tile.splat %b : tensor<32x1x!tile.ptr<f32>>
  %bp0 = tile.ptr_add %bs, %bo : tensor<32x1x!tile.ptr<f32>>, tensor<32x1xi32>
  %bp1 = tile.broadcast %bp0 : tensor<32x1x!tile.ptr<f32>> -> tensor<32x64x!tile.ptr<f32>>
  %bnb = tile.broadcast %bn : tensor<1x64xi32> -> tensor<32x64xi32>
  %bptrs = tile.ptr_add %bp1, %bnb : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %za = arith.constant dense<0.0> : tensor<64x32xf32>
  %zb = arith.constant dense<0.0> : tensor<32x64xf32>
  %Ms = tile.splat %M : tensor<64x1xi32>
  %Ns = tile.splat %N : tensor<1x64xi32>
  %min = arith.cmpi slt, %mc, %Ms : tensor<64x1xi32>
  %nin = arith.cmpi slt, %nr, %Ns : tensor<1x64xi32>
  %astep = arith.muli %sak, %c32 : i32
  %bstep = arith.muli %sbk, %c32 : i32
  %r:3 = scf.for %done = %c0 to %K step %c32 iter_args(%acc = %zero, %aa = %aptrs, %bb = %bptrs)
      -> (tensor<64x64xf32>, tensor<64x32x!tile.ptr<f32>>, tensor<32x64x!tile.ptr<f32>>) : i32 {
    %left = arith.subi %K, %done : i32
    %lr = tile.splat %left : tensor<1x32xi32>
    %lc = tile.splat %left : tensor<32x1xi32>
    %kinr = arith.cmpi slt, %kr, %lr : tensor<1x32xi32>
    %kinc = arith.cmpi slt, %kc, %lc : tensor<32x1xi32>
    %minb = tile.broadcast %min : tensor<64x1xi1> -> tensor<64x32xi1>
    %kinrb = tile.broadcast %kinr : tensor<1x32xi1> -> tensor<64x32xi1>
    %amask = arith.andi %minb, %kinrb : tensor<64x32xi1>
    %kincb = tile.broadcast %kinc : tensor<32x1xi1> -> tensor<32x64xi1>
    %ninb = tile.broadcast %nin : tensor<1x64xi1> -> tensor<32x64xi1>
    %bmask = arith.andi %kincb, %ninb : tensor<32x64xi1>
    %av = tile.load %aa mask %amask : tensor<64x32xi1> other %za : tensor<64x32xf32> : tensor<64x32x!tile.ptr<f32>> -> tensor<64x32xf32>
    %bv = tile.load %bb mask %bmask : tensor<32x64xi1> other %zb : tensor<32x64xf32> : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
    %next = tile.dot %av, %bv, %acc {precision = #tile<precision ieee>} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    %ass = tile.splat %astep : tensor<64x32xi32>
    %an = tile.ptr_add %aa, %ass : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
    %bss = tile.splat %bstep : tensor<32x64xi32>
    %bnext = tile.ptr_add %bb, %bss : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    scf.yield %next, %an, %bnext : tensor<64x64xf32>, tensor<64x32x!tile.ptr<f32>>, tensor<32x64x!tile.ptr<f32>>
  }
  %scms = tile.splat %scm : tensor<64x1xi32>
  %scns = tile.splat %scn : tensor<1x64xi32>
  %co = arith.muli %mc, %scms : tensor<64x1xi32>
  %cn = arith.muli %nr, %scns : tensor<1x64xi32>
  %cs = tile.splat %c : tensor<64x1x!tile.ptr<f32>>
  %cp0 = tile.ptr_add %cs, %co : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %cp1 = tile.broadcast %cp0 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %cnb = tile.broadcast %cn : tensor<1x64xi32> -> tensor<64x64xi32>
  %cptrs = tile.ptr_add %cp1, %cnb : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %minb2 = tile.broadcast %min : tensor<64x1xi1> -> tensor<64x64xi1>
  %ninb2 = tile.broadcast %nin : tensor<1x64xi1> -> tensor<64x64xi1>
  %cmask = arith.andi %minb2, %ninb2 : tensor<64x64xi1>
  tile.store %cptrs, %r#0 mask %cmask : tensor<64x64xi1> : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}
)";

TEST(CpuKernels, Matmul) {
  CompiledKernel kernel(matmul);
  struct Case {
    int m, n, k;
    bool transposedA, transposedB;
  };
  for (Case c : {Case{64, 64, 32, false, false},
                 {1, 1, 1, false, false},
                 {70, 130, 45, false, false},
                 {65, 63, 100, true, false},
                 {100, 77, 33, false, true}}) {
    auto a = randomFloats(c.m * c.k), b = randomFloats(c.k * c.n, 2);
    std::vector<float> result(c.m * c.n, -7.0f);
    int sam = c.transposedA ? 1 : c.k, sak = c.transposedA ? c.m : 1, sbk = c.transposedB ? 1 : c.n,
        sbn = c.transposedB ? c.k : 1;
    kernel.run({uint32_t(c.m + 63) / 64, uint32_t(c.n + 63) / 64, 1}, a.data(), b.data(), result.data(), c.m, c.n, c.k,
               sam, sak, sbk, sbn, c.n, 1);
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        double sum = 0, magnitude = 0;
        for (int k = 0; k < c.k; ++k) {
          double product = double(a[i * sam + k * sak]) * b[k * sbk + j * sbn];
          sum += product;
          magnitude += std::abs(product);
        }
        ASSERT_NEAR(result[i * c.n + j], sum, 1e-6 * magnitude + 1e-12)
            << c.m << "x" << c.n << "x" << c.k << " at " << i << "," << j;
      }
  }
}

} // namespace
