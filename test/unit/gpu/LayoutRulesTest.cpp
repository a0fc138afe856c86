// The layouts that blocks get: every element has a place, neighbours sit where accesses want them,
// no thread idles without need.
#include "target/gpu/LayoutRules.h"

#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

#include <set>

namespace tilewise::gpu {

namespace {

TEST(LayoutRules, MemoryLayoutsCoverEveryElementOnce) {
  for (int64_t rows : {1, 2, 16, 128})
    for (int64_t columns : {1, 4, 32, 256})
      for (unsigned fastest : {0u, 1u})
        for (unsigned vector : {1u, 4u, 8u})
          for (unsigned warps : {1u, 4u, 8u}) {
            LinearLayout layout = memoryLayout({rows, columns}, {fastest, vector}, {5, llvm::Log2_32(warps)});
            std::multiset<uint32_t> owned;
            for (uint32_t warp = 0; warp < warps; ++warp)
              for (uint32_t lane = 0; lane < 32; ++lane)
                for (uint32_t reg = 0; reg < layout.registers(); ++reg)
                  if (!(lane & layout.freeBits(Level::Lane)) && !(warp & layout.freeBits(Level::Warp)))
                    owned.insert(layout.element(reg, lane, warp));
            ASSERT_EQ(int64_t(owned.size()), rows * columns);
            ASSERT_EQ(int64_t(std::set<uint32_t>(owned.begin(), owned.end()).size()), rows * columns);
            // Copies only when there are fewer elements than threads.
            if (rows * columns >= 32 * warps) {
              ASSERT_EQ(layout.freeBits(Level::Lane), 0u);
              ASSERT_EQ(layout.freeBits(Level::Warp), 0u);
            }
          }
}

TEST(LayoutRules, NeighbouringLanesReadNeighbouringVectors) {
  LinearLayout layout = memoryLayout({64, 128}, {1, 4}, {5, 2});
  EXPECT_EQ(vectorBits(layout, 1), 2u);
  EXPECT_EQ(vectorBits(layout, 0), 0u);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < 4; ++reg)
      EXPECT_EQ(layout.element(reg, lane), lane * 4 + reg);
  LinearLayout columns = memoryLayout({64, 128}, {0, 4}, {5, 2});
  EXPECT_EQ(vectorBits(columns, 0), 2u);
  EXPECT_EQ(columns.coordinates(columns.element(3, 5))[0], 23);
}

/// Of sums of a matrix instruction, whose warps have 16 rows each: a row is stored at once, and no
/// element leaves its warp.
TEST(LayoutRules, MemoryLayoutsWithinTheWarpsOfOthers) {
  LinearLayout sums({128, 256}, {1, 2048, 8, 16, 32, 64, 128}, {2, 4, 256, 512, 1024}, {4096, 8192, 16384});
  LinearLayout layout = *memoryLayoutWithin(sums, {1, 8}, 2);
  EXPECT_EQ(layout.bases(Level::Warp), sums.bases(Level::Warp));
  EXPECT_EQ(layout.registers(), sums.registers());
  EXPECT_TRUE(layout.isSurjective());
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t reg = 0; reg < 8; ++reg)
      EXPECT_EQ(layout.element(reg, lane, 1), 4096 + lane * 8 + reg);
  EXPECT_TRUE(planConversion(sums, layout).isWithinWarps);
  // Along columns, of which a warp has 16: no whole line, which 64 elements of two bytes are.
  EXPECT_FALSE(memoryLayoutWithin(sums, {0, 8}, 2));
  // Warps that hold the same have no bit of their own.
  EXPECT_FALSE(memoryLayoutWithin(LinearLayout({32, 32}, {1, 2, 4}, {8, 16, 32, 64, 128}, {256, 0}), {1, 4}, 4));
}

TEST(LayoutRules, VectorsYieldToBusyThreads) {
  // 128 elements on 128 threads: one each rather than four on a quarter of them.
  EXPECT_EQ(memoryLayout({128}, {0, 4}, {5, 2}).registers(), 1u);
  EXPECT_EQ(memoryLayout({256}, {0, 4}, {5, 2}).registers(), 2u);
}

TEST(LayoutRules, DotLayoutsCoverEveryElement) {
  for (int64_t m : {16, 32, 64, 128})
    for (int64_t n : {16, 64, 256})
      for (unsigned warps : {1u, 4u, 8u}) {
        LinearLayout layout = dotLayout({m, n}, {5, llvm::Log2_32(warps)});
        EXPECT_TRUE(layout.isSurjective());
        BitMap places = layout.map();
        EXPECT_EQ(places.rank(), llvm::count_if(places.columns, [](uint32_t basis) { return basis != 0; }));
        EXPECT_EQ(vectorBits(layout, 1), 2u);
      }
}

} // namespace

} // namespace tilewise::gpu
