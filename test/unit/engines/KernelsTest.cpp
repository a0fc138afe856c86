// Whole kernels: grids, masks, loops, dots.
#include "engines/RunKernel.h"

#include <cmath>

namespace tilewise::engines {
namespace {

class WholeKernels : public OnEngine {};
ON_EACH_ENGINE(WholeKernels);

std::string vectorAdd(int block) {
  std::string b = std::to_string(block), i = "tensor<" + b + "xi32>", p = "tensor<" + b + "x!tile.ptr<f32>>",
              f = "tensor<" + b + "xf32>", m = "tensor<" + b + "xi1>";
  return "func.func @vector_add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes "
         "{tile.kernel} {\n"
         "  %block = arith.constant " +
         b +
         " : i32\n"
         "  %pid = tile.program_id 0\n"
         "  %first = arith.muli %pid, %block : i32\n"
         "  %range = tile.range 0 to " +
         b + " : " + i +
         "\n"
         "  %firsts = tile.splat %first : " +
         i +
         "\n"
         "  %at = arith.addi %firsts, %range : " +
         i +
         "\n"
         "  %ns = tile.splat %n : " +
         i +
         "\n"
         "  %inside = arith.cmpi slt, %at, %ns : " +
         i +
         "\n"
         "  %xs = tile.splat %x : " +
         p + "\n  %xp = tile.ptr_add %xs, %at : " + p + ", " + i +
         "\n"
         "  %ys = tile.splat %y : " +
         p + "\n  %yp = tile.ptr_add %ys, %at : " + p + ", " + i +
         "\n"
         "  %zs = tile.splat %z : " +
         p + "\n  %zp = tile.ptr_add %zs, %at : " + p + ", " + i +
         "\n"
         "  %xv = tile.load %xp mask %inside : " +
         m + " : " + p + " -> " + f +
         "\n"
         "  %yv = tile.load %yp mask %inside : " +
         m + " : " + p + " -> " + f +
         "\n"
         "  %sum = arith.addf %xv, %yv : " +
         f +
         "\n"
         "  tile.store %zp, %sum mask %inside : " +
         m + " : " + p + ", " + f + "\n  return\n}\n";
}

TEST_P(WholeKernels, VectorAddOfAnyLength) {
  for (int n : {1, 63, 64, 1000, 100000}) {
    std::vector<float> x(n), y(n), z(n + 1, -7.0f);
    for (int i = 0; i < n; ++i) {
      x[i] = float(i) * 0.25f;
      y[i] = float(n - i);
    }
    runKernel(vectorAdd(64), {uint32_t(n + 63) / 64, 1, 1}, x, y, z, n);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(z[i], x[i] + y[i]) << i << " of " << n;
    EXPECT_EQ(z[n], -7.0f) << "the mask lets nothing through behind the end";
  }
}

TEST_P(WholeKernels, ProgramIdsCountXFirst) {
  std::string text = R"(
func.func @ids(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %gx = tile.num_programs 0
  %gy = tile.num_programs 1
  %zy = arith.muli %z, %gy : i32
  %row = arith.addi %zy, %y : i32
  %start = arith.muli %row, %gx : i32
  %at = arith.addi %start, %x : i32
  %c100 = arith.constant 100 : i32
  %c10 = arith.constant 10 : i32
  %z100 = arith.muli %z, %c100 : i32
  %y10 = arith.muli %y, %c10 : i32
  %zy10 = arith.addi %z100, %y10 : i32
  %value = arith.addi %zy10, %x : i32
  %p = tile.ptr_add %out, %at : !tile.ptr<i32>, i32
  tile.store %p, %value : !tile.ptr<i32>, i32
  return
})";
  std::vector<int32_t> out(24);
  runKernel(text, {2, 3, 4}, out);
  for (int z = 0, at = 0; z < 4; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 2; ++x, ++at)
        EXPECT_EQ(out[at], 100 * z + 10 * y + x);
}

TEST_P(WholeKernels, MaskedLoadGivesOtherOrZero) {
  std::string text = R"(
func.func @masked(%in: !tile.ptr<f32>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range 0 to 8 : tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %ps = tile.splat %in : tensor<8x!tile.ptr<f32>>
  %p = tile.ptr_add %ps, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %other = arith.constant dense<0xFF800000> : tensor<8xf32>
  %x = tile.load %p mask %m : tensor<8xi1> other %other : tensor<8xf32> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %y = tile.load %p mask %m : tensor<8xi1> : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %as = tile.splat %a : tensor<8x!tile.ptr<f32>>
  %ap = tile.ptr_add %as, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %ap, %x : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  %bs = tile.splat %b : tensor<8x!tile.ptr<f32>>
  %bp = tile.ptr_add %bs, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %bp, %y : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
})";
  std::vector<float> in = {1, 2, 3}, a(8), b(8, 5.0f);
  runKernel(text, {1, 1, 1}, in, a, b, 3);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(a[i], i < 3 ? in[i] : -INFINITY);
    EXPECT_EQ(b[i], i < 3 ? in[i] : 0.0f);
  }
}

TEST_P(WholeKernels, MatmulWithCarriedPointers) {
  std::string text = R"(
func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %K: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %m = tile.range 0 to 8 : tensor<8xi32>
  %k = tile.range 0 to 4 : tensor<4xi32>
  %mc = tile.expand_dims %m at 1 : tensor<8xi32> -> tensor<8x1xi32>
  %kr = tile.expand_dims %k at 0 : tensor<4xi32> -> tensor<1x4xi32>
  %kc = tile.expand_dims %k at 1 : tensor<4xi32> -> tensor<4x1xi32>
  %nr = tile.expand_dims %m at 0 : tensor<8xi32> -> tensor<1x8xi32>
  %Ks = tile.splat %K : tensor<8x1xi32>
  %mK = arith.muli %mc, %Ks : tensor<8x1xi32>
  %mKb = tile.broadcast %mK : tensor<8x1xi32> -> tensor<8x4xi32>
  %krb = tile.broadcast %kr : tensor<1x4xi32> -> tensor<8x4xi32>
  %aoff = arith.addi %mKb, %krb : tensor<8x4xi32>
  %as = tile.splat %a : tensor<8x4x!tile.ptr<f32>>
  %ap0 = tile.ptr_add %as, %aoff : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
  %eight = arith.constant dense<8> : tensor<4x1xi32>
  %kN = arith.muli %kc, %eight : tensor<4x1xi32>
  %kNb = tile.broadcast %kN : tensor<4x1xi32> -> tensor<4x8xi32>
  %nrb = tile.broadcast %nr : tensor<1x8xi32> -> tensor<4x8xi32>
  %boff = arith.addi %kNb, %nrb : tensor<4x8xi32>
  %bs = tile.splat %b : tensor<4x8x!tile.ptr<f32>>
  %bp0 = tile.ptr_add %bs, %boff : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %astep = arith.constant dense<4> : tensor<8x4xi32>
  %bstep = arith.constant dense<32> : tensor<4x8xi32>
  %r:3 = scf.for %done = %c0 to %K step %c4 iter_args(%acc = %zero, %ap = %ap0, %bp = %bp0)
      -> (tensor<8x8xf32>, tensor<8x4x!tile.ptr<f32>>, tensor<4x8x!tile.ptr<f32>>) : i32 {
    %left = arith.subi %K, %done : i32
    %leftr = tile.splat %left : tensor<1x4xi32>
    %inr = arith.cmpi slt, %kr, %leftr : tensor<1x4xi32>
    %am = tile.broadcast %inr : tensor<1x4xi1> -> tensor<8x4xi1>
    %leftc = tile.splat %left : tensor<4x1xi32>
    %inc = arith.cmpi slt, %kc, %leftc : tensor<4x1xi32>
    %bm = tile.broadcast %inc : tensor<4x1xi1> -> tensor<4x8xi1>
    %av = tile.load %ap mask %am : tensor<8x4xi1> : tensor<8x4x!tile.ptr<f32>> -> tensor<8x4xf32>
    %bv = tile.load %bp mask %bm : tensor<4x8xi1> : tensor<4x8x!tile.ptr<f32>> -> tensor<4x8xf32>
    %next = tile.dot %av, %bv, %acc : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    %apn = tile.ptr_add %ap, %astep : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
    %bpn = tile.ptr_add %bp, %bstep : tensor<4x8x!tile.ptr<f32>>, tensor<4x8xi32>
    scf.yield %next, %apn, %bpn : tensor<8x8xf32>, tensor<8x4x!tile.ptr<f32>>, tensor<4x8x!tile.ptr<f32>>
  }
  %coffc = arith.constant dense<8> : tensor<8x1xi32>
  %cr = arith.muli %mc, %coffc : tensor<8x1xi32>
  %crb = tile.broadcast %cr : tensor<8x1xi32> -> tensor<8x8xi32>
  %cnb = tile.broadcast %nr : tensor<1x8xi32> -> tensor<8x8xi32>
  %coff = arith.addi %crb, %cnb : tensor<8x8xi32>
  %cs = tile.splat %c : tensor<8x8x!tile.ptr<f32>>
  %cp = tile.ptr_add %cs, %coff : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
  tile.store %cp, %r#0 : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xf32>
  return
})";
  for (int K : {1, 4, 7, 30}) {
    std::vector<float> a(8 * K), b(K * 8), c(64);
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = float(int(i * 7 % 13) - 6);
      b[i] = float(int(i * 5 % 11) - 5);
    }
    runKernel(text, {1, 1, 1}, a, b, c, K);
    for (int m = 0; m < 8; ++m)
      for (int n = 0; n < 8; ++n) {
        float sum = 0; // Small integers: exact in any order.
        for (int k = 0; k < K; ++k)
          sum += a[m * K + k] * b[k * 8 + n];
        ASSERT_EQ(c[m * 8 + n], sum) << m << ", " << n << ", K = " << K;
      }
  }
}

} // namespace
} // namespace tilewise::engines
