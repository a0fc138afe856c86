// Which layouts are read as matrices, and that every lane then gets its own elements.
#include "target/gpu/MatrixAccess.h"

#include <gtest/gtest.h>

namespace tilewise::gpu {

namespace {

/// Where the elements lie that a lane gets by the load which begins at register `first`, by what
/// MatrixAccess.h says of the instruction: the lane's word of matrix m holds bytes of the rows
/// whose addresses lanes 8 m to 8 m + 7 give.
uint32_t loadedFrom(const MatrixAccess &load, unsigned elementBytes, uint32_t first, uint32_t reg, uint32_t lane,
                    uint32_t warp) {
  uint32_t inWord = 4 / elementBytes, matrix = (reg - first) / inWord, part = (reg - first) % inWord;
  uint32_t row = load.across ? lane % 4 * 2 + part : lane / 4;
  uint32_t byte = load.across ? lane / 4 * 2 : lane % 4 * 4 + part * elementBytes;
  return load.addresses.element(first, 8 * matrix + row, warp) + byte;
}

void expectOwnElements(const LinearLayout &offsets, unsigned elementBytes, unsigned matrices, bool across) {
  auto load = matrixAccessFor(offsets, elementBytes);
  ASSERT_TRUE(load.has_value());
  EXPECT_EQ(load->matrices, matrices);
  EXPECT_EQ(load->across, across);
  EXPECT_EQ(load->registers, matrices * 4 / elementBytes);
  for (uint32_t warp = 0; warp < offsets.size(Level::Warp); ++warp)
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t reg = 0; reg < offsets.registers(); ++reg)
        ASSERT_EQ(loadedFrom(*load, elementBytes, reg - reg % load->registers, reg, lane, warp),
                  offsets.element(reg, lane, warp))
            << "register " << reg << " of lane " << lane;
}

TEST(MatrixAccess, TakesFourAtOnceAlongTheRows) {
  // The example of MatrixAccess.h, for two warps and twice as long rows.
  LinearLayout halves({4096}, {2, 1024, 16, 32}, {4, 8, 128, 256, 512}, {2048});
  expectOwnElements(halves, 2, 4, false);
  LinearLayout bytes({4096}, {1, 2, 1024, 16}, {4, 8, 128, 256, 512}, {2048});
  expectOwnElements(bytes, 1, 4, false);
  LinearLayout words({4096}, {1024, 16}, {4, 8, 128, 256, 512}, {2048});
  expectOwnElements(words, 4, 4, false);
}

TEST(MatrixAccess, TakesRowsThatAreSwizzled) {
  LinearLayout halves({2048}, {2, 1024, 16}, {4, 8, 128 ^ 16, 256 ^ 32, 512 ^ 64}, {});
  expectOwnElements(halves, 2, 4, false);
}

TEST(MatrixAccess, ReadsHalvesAcrossTheRows) {
  // A right operand whose rows run along n: registers and the first lanes walk down the rows.
  LinearLayout halves({4096}, {128, 1024}, {256, 512, 2, 4, 8}, {2048});
  expectOwnElements(halves, 2, 2, true);
  LinearLayout one({1024}, {128}, {256, 512, 2, 4, 8}, {});
  expectOwnElements(one, 2, 1, true);
}

TEST(MatrixAccess, LeavesOtherLayoutsAlone) {
  // Bytes across the rows, rows that begin between 16 bytes, and elements of 8 bytes.
  EXPECT_FALSE(matrixAccessFor(LinearLayout({4096}, {128, 256}, {512, 1024, 1, 2, 4}, {}), 1));
  EXPECT_FALSE(matrixAccessFor(LinearLayout({4096}, {2, 1024}, {4, 8, 128, 256, 16 + 8}, {}), 2));
  EXPECT_FALSE(matrixAccessFor(LinearLayout({4096}, {1024}, {8, 16, 128, 256, 512}, {}), 8));
}

} // namespace

} // namespace tilewise::gpu
