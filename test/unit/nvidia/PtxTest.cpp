// The four kernels from tile IR to PTX: ptxas assembles all of it without spills, and the PTX has
// the accesses it should have.
#include "NvidiaTesting.h"

#include <gtest/gtest.h>

#include <bit>

namespace tilewise::nvidiatest {

namespace {

size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++found;
  return found;
}

struct Case {
  const char *type;
  int capability;
};

class NvidiaPtx : public testing::TestWithParam<Case> {
protected:
  void check(const std::string &tileIr, unsigned numWarps = 4) {
    compiled = compileTileIr(tileIr, GetParam().capability, numWarps);
    ASSERT_EQ(compiled.error, "");
    EXPECT_EQ(compiled.plan.threadsPerProgram, 32 * numWarps);
    EXPECT_NE(compiled.ptx.find(".target sm_" + std::to_string(GetParam().capability)), std::string::npos);
    EXPECT_NE(compiled.ptx.find(".reqntid " + std::to_string(32 * numWarps) + ", 1, 1"), std::string::npos)
        << compiled.ptx;
    // Contraction is decided in tile IR: no mul or add without a rounding mode, which ptxas would
    // fuse.
    EXPECT_EQ(count(compiled.ptx, "mul.f32"), 0u);
    EXPECT_EQ(count(compiled.ptx, "add.f32"), 0u);
    std::optional<std::string> said = assemble(compiled.ptx, GetParam().capability);
    if (!said)
      return;
    assembled = true;
    EXPECT_EQ(*said, "") << compiled.ptx;
  }

  // Without ptxas the PTX is still read as text; the results say that it was not assembled.
  void TearDown() override { RecordProperty("assembled", assembled); }

  Compiled compiled;
  bool assembled = false;
};

TEST_P(NvidiaPtx, VectorAdd) {
  for (int block : {1, 64, 4096}) {
    SCOPED_TRACE(block);
    check(vectorAddIr(GetParam().type, block));
  }
  EXPECT_GT(count(compiled.ptx, "ld.global.v4.b32"), 0u);
  EXPECT_GT(count(compiled.ptx, "st.global.v4.b32"), 0u);
}

TEST_P(NvidiaPtx, UnalignedVectorAdd) {
  check(vectorAddIr(GetParam().type, 1024, /*aligned=*/false));
  EXPECT_EQ(count(compiled.ptx, ".v4.b32"), 0u);
}

TEST_P(NvidiaPtx, Softmax) {
  for (int block : {1, 16, 1024})
    for (unsigned warps : {1, 4}) {
      SCOPED_TRACE(std::to_string(block) + " on " + std::to_string(warps));
      check(softmaxIr(GetParam().type, block), warps);
      // One shuffle per lane bit that holds different elements, for both reductions.
      size_t lanes = std::min(5, block == 1 ? 0 : int(std::bit_width(unsigned(block)) - 1));
      EXPECT_EQ(count(compiled.ptx, "shfl.sync.bfly"), 2 * lanes);
      EXPECT_EQ(compiled.plan.sharedBytes > 0, warps > 1 && block > 32);
    }
}

TEST_P(NvidiaPtx, Greyscale) {
  check(greyscaleIr(GetParam().type, 16, 64));
  EXPECT_EQ(compiled.plan.sharedBytes, 0u);
  EXPECT_EQ(count(compiled.ptx, "bar.sync"), 0u);
  check(greyscaleIr(GetParam().type, 1, 1));
  check(greyscaleIr(GetParam().type, 2, 8));
}

TEST_P(NvidiaPtx, Matmul) {
  check(matmulIr(GetParam().type, 64, 64, 32));
  if (GetParam().capability >= 80) {
    const bool isWide = GetParam().capability == 90, isNarrow = GetParam().type != std::string("f32");
    // One barrier in the loop: what was copied is there, and the slot that is filled next is free.
    // Hopper's copy engine fills two rings, whose signals are made before it. Narrow results are
    // rearranged for the store, with one barrier before and one within, and so are those of f32
    // where Hopper gives them transposed. Where sums lie by rows, each warp rearranges its own.
    const bool isByRows = isWide && isNarrow;
    EXPECT_EQ(count(compiled.ptx, "bar.sync"), 1u + (isWide ? 2u : 0u) +
                                                   (isByRows             ? 1u
                                                    : isWide || isNarrow ? 2u
                                                                         : 0u))
        << compiled.ptx;
    EXPECT_EQ(count(compiled.ptx, "bar.warp.sync"), isByRows ? 2u : 0u) << compiled.ptx;
    EXPECT_EQ(count(compiled.ptx, "cp.async.wait_group"), isWide ? 0u : 1u);
    EXPECT_EQ(count(compiled.ptx, "cp.async.bulk.tensor.2d") > 0, isWide);
    EXPECT_EQ(count(compiled.ptx, "wgmma.mma_async"), !isWide ? 0u : isNarrow ? 2u : 4u);
    EXPECT_EQ(count(compiled.ptx, "mma.sync.aligned") > 0, !isWide);
  } else {
    // One barrier before the operands are read, one before the next iteration overwrites them.
    EXPECT_EQ(count(compiled.ptx, "bar.sync"), 2u) << compiled.ptx;
    EXPECT_GT(count(compiled.ptx, "ld.shared.v"), 0u);
  }
  check(matmulIr(GetParam().type, 32, 64, 16), 8);
  check(matmulIr(GetParam().type, 16, 32, 64), 1);
}

INSTANTIATE_TEST_SUITE_P(Types, NvidiaPtx,
                         testing::Values(Case{"f32", 75}, Case{"f32", 80}, Case{"f32", 90}, Case{"f16", 75},
                                         Case{"f16", 90}, Case{"bf16", 75}, Case{"bf16", 80}, Case{"bf16", 90}),
                         [](const testing::TestParamInfo<Case> &info) {
                           return std::string(info.param.type) + "_sm" + std::to_string(info.param.capability);
                         });

} // namespace

} // namespace tilewise::nvidiatest
