// Linear layouts against brute force: every place of small layouts is looked at one by one.
#include "ir/LinearLayout.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace tilewise {

namespace {

/// The example of LinearLayout.h: a 4x4 block on four lanes of four registers.
const LinearLayout kSquares({4, 4}, {1, 4}, {2, 8}, {});

/// No basis is a combination of others, apart from zero bases.
bool isInjectiveUpToFreeBits(const LinearLayout &layout) {
  BitMap all = layout.map();
  return all.rank() == llvm::count_if(all.columns, [](uint32_t basis) { return basis != 0; });
}

TEST(LinearLayout, WorkedExample) {
  const uint32_t holder[4][4][2] = {{{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                                    {{0, 2}, {0, 3}, {1, 2}, {1, 3}},
                                    {{2, 0}, {2, 1}, {3, 0}, {3, 1}},
                                    {{2, 2}, {2, 3}, {3, 2}, {3, 3}}};
  for (uint32_t row = 0; row < 4; ++row)
    for (uint32_t column = 0; column < 4; ++column) {
      uint32_t element = kSquares.element(/*reg=*/holder[row][column][1], /*lane=*/holder[row][column][0]);
      EXPECT_EQ(element, row * 4 + column);
      EXPECT_EQ(kSquares.coordinates(element), (llvm::SmallVector<int64_t>{row, column}));
    }
  EXPECT_EQ(kSquares.element(3, 2), 13u);
  EXPECT_TRUE(kSquares.isSurjective());
  EXPECT_TRUE(isInjectiveUpToFreeBits(kSquares));
}

TEST(LinearLayout, Prints) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kSquares.print(os);
  EXPECT_EQ(text, "[4, 4], register = [1, 4], lane = [2, 8]");
}

TEST(LinearLayout, FreeBitsAreCopies) {
  LinearLayout layout({2}, {}, {0, 1, 0}, {0});
  EXPECT_EQ(layout.freeBits(Level::Lane), 5u);
  EXPECT_EQ(layout.freeBits(Level::Warp), 1u);
  for (uint32_t lane = 0; lane < 8; ++lane)
    EXPECT_EQ(layout.element(0, lane, 1), layout.element(0, lane & ~5u, 0));
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_TRUE(isInjectiveUpToFreeBits(layout));
  EXPECT_FALSE(isInjectiveUpToFreeBits(LinearLayout({4}, {1}, {1}, {2})));
  EXPECT_FALSE(LinearLayout({4}, {1}, {1}, {}).isSurjective());
}

TEST(BitMap, PseudoInverseAgainstSearch) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    unsigned inputs = 1 + random() % 7, outputs = 1 + random() % 6;
    BitMap map;
    for (unsigned bit = 0; bit < inputs; ++bit)
      map.columns.push_back(random() % (1u << outputs));
    BitMap inverse = pseudoInverse(map, outputs);
    std::set<uint32_t> reached;
    for (uint32_t input = 0; input < 1u << inputs; ++input)
      reached.insert(map(input));
    EXPECT_EQ(reached.size(), size_t(1) << map.rank());
    for (uint32_t output : reached)
      EXPECT_EQ(map(inverse(output)), output);
  }
}

TEST(BitMap, ComposeAgainstEvaluation) {
  BitMap outer{{3, 5, 6}}, inner{{1, 7, 4, 2}};
  for (uint32_t x = 0; x < 16; ++x)
    EXPECT_EQ(compose(outer, inner)(x), outer(inner(x)));
}

TEST(LinearLayout, WithoutDimKeepsOtherCoordinates) {
  for (unsigned dim : {0u, 1u}) {
    LinearLayout slice = kSquares.withoutDim(dim);
    EXPECT_EQ(slice.registers(), 2u) << "registers along the axis fall together";
    for (uint32_t lane = 0; lane < 4; ++lane) {
      std::set<int64_t> whole, sliced;
      for (uint32_t reg = 0; reg < 4; ++reg)
        whole.insert(kSquares.coordinates(kSquares.element(reg, lane))[1 - dim]);
      for (uint32_t reg = 0; reg < 2; ++reg)
        sliced.insert(slice.element(reg, lane));
      EXPECT_EQ(whole, sliced);
    }
  }
}

TEST(LinearLayout, Reshaped) {
  LinearLayout lanes({8}, {}, {1, 2, 4}, {});
  for (uint32_t lane = 0; lane < 8; ++lane)
    EXPECT_EQ(lanes.element(0, lane), lane);
  EXPECT_EQ(lanes.reshaped({2, 4}).coordinates(5), (llvm::SmallVector<int64_t>{1, 1}));
}

/// A layout whose elements are dealt out to its places at random, some places being copies.
LinearLayout randomLayout(std::mt19937 &random, unsigned elementBits, unsigned registerBits) {
  std::vector<uint32_t> bases;
  for (unsigned bit = 0; bit < elementBits; ++bit)
    bases.push_back(uint32_t(1) << bit);
  while (bases.size() < registerBits + 3 + 2)
    bases.push_back(0);
  std::shuffle(bases.begin(), bases.end(), random);
  // Mix bases: still independent, no longer single bits.
  if (random() % 2)
    for (size_t i = 1; i < bases.size(); ++i)
      if (bases[i] && random() % 3 == 0)
        bases[i] ^= bases[i - 1];
  llvm::ArrayRef<uint32_t> all(bases);
  size_t registers = bases.size() - 5;
  return LinearLayout({int64_t(1) << elementBits}, all.take_front(registers), all.slice(registers, 3),
                      all.take_back(2));
}

TEST(LinearLayout, ConversionsAgainstSearch) {
  std::mt19937 random(2);
  std::map<LayoutConversion::Way, int> seen;
  int within = 0;
  for (int round = 0; round < 2000; ++round) {
    unsigned bits = 1 + random() % 6, registers = 1 + random() % 4;
    if (bits > registers + 5)
      continue;
    LinearLayout from = randomLayout(random, bits, registers);
    // Often only one level differs, so that every way is met.
    LinearLayout to = from;
    if (random() % 3 == 0)
      to = randomLayout(random, bits, registers);
    else if (random() % 2) {
      std::vector<uint32_t> shuffled(from.bases(Level::Lane).begin(), from.bases(Level::Lane).end());
      if (random() % 2)
        shuffled.insert(shuffled.end(), from.bases(Level::Register).begin(), from.bases(Level::Register).end());
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      // Of lanes alone, or of registers and lanes.
      llvm::ArrayRef<uint32_t> all(shuffled);
      to = LinearLayout(from.shape(), all.size() > 3 ? all.drop_back(3) : from.bases(Level::Register), all.take_back(3),
                        from.bases(Level::Warp));
    }
    if (!from.isSurjective() || !to.isSurjective())
      continue;
    BitMap conversion = conversionMap(from, to);
    LayoutConversion plan = planConversion(from, to);
    ++seen[plan.way];
    within += plan.isWithinWarps;
    unsigned registerBits = from.levelShift(Level::Lane);
    for (uint32_t warp = 0; warp < 4; ++warp)
      for (uint32_t lane = 0; lane < 8; ++lane)
        for (uint32_t reg = 0; reg < to.registers(); ++reg) {
          uint32_t wanted = to.element(reg, lane, warp);
          uint32_t image = conversion(reg | lane << to.levelShift(Level::Lane) | warp << to.levelShift(Level::Warp));
          uint32_t sourceReg = image & ((1u << registerBits) - 1), sourceLane = image >> registerBits & 7,
                   sourceWarp = image >> (registerBits + 3);
          ASSERT_EQ(from.element(sourceReg, sourceLane, sourceWarp), wanted);
          if (plan.way == LayoutConversion::Way::Registers) {
            ASSERT_EQ(from.element(plan.sources[reg], lane, warp), wanted);
          }
          if (plan.isWithinWarps) {
            ASSERT_EQ(plan.way, LayoutConversion::Way::Shared);
            ASSERT_EQ(sourceWarp, warp);
          }
          if (plan.way == LayoutConversion::Way::Shuffle) {
            ASSERT_EQ(sourceWarp, warp);
            ASSERT_EQ(sourceReg, conversion(reg) & ((1u << registerBits) - 1)) << "one register for all lanes";
          }
        }
  }
  EXPECT_GT(seen[LayoutConversion::Way::Registers], 50);
  EXPECT_GT(seen[LayoutConversion::Way::Shuffle], 50);
  EXPECT_GT(seen[LayoutConversion::Way::Shared], 50);
  EXPECT_GT(within, 20);
}

/// How often the fullest bank is asked by one access of a warp: 4 bytes of each lane, or 16 of
/// each of eight lanes at a time.
unsigned fullestBank(const LinearLayout &layout, unsigned elementBytes, unsigned lanesAtOnce) {
  unsigned fullest = 0;
  for (uint32_t first = 0; first < 32; first += lanesAtOnce) {
    std::map<uint32_t, std::set<uint32_t>> words;
    for (uint32_t lane = first; lane < first + lanesAtOnce; ++lane) {
      uint32_t word = layout.element(0, lane) * elementBytes / 4;
      words[word % 32].insert(word);
    }
    for (auto &[bank, asked] : words)
      fullest = std::max<unsigned>(fullest, asked.size());
  }
  return fullest;
}

// Accumulators of a matrix instruction, halves in pairs, four lanes to a row; and the way they are
// stored, eight halves to a lane.
TEST(LinearLayout, SpreadOverBanksLetsNobodyQueue) {
  LinearLayout sums({64, 256}, {1, 2048, 8, 16, 32, 64, 128}, {2, 4, 256, 512, 1024}, {4096, 8192});
  LinearLayout rows({64, 256}, {1, 2, 4, 1024, 2048, 4096, 8192}, {8, 16, 32, 64, 128}, {256, 512});
  EXPECT_EQ(fullestBank(sums, 2, 32), 8u);
  BitMap spread = spreadOverBanks(sums, rows, 2);
  EXPECT_EQ(fullestBank(sums.renumbered(spread), 2, 32), 1u);
  EXPECT_EQ(fullestBank(rows.renumbered(spread), 2, 8), 1u);
}

TEST(LinearLayout, SpreadOverBanksKeepsEveryElementAndVector) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    LinearLayout from = randomLayout(random, 10, 5), to = randomLayout(random, 10, 5);
    for (unsigned bytes : {1, 2, 4, 8}) {
      BitMap spread = spreadOverBanks(from, to, bytes);
      std::set<uint32_t> reached;
      for (uint32_t element = 0; element < 1024; ++element) {
        reached.insert(spread(element));
        // Sixteen bytes that lie together still do.
        ASSERT_EQ(spread(element) % (16 / bytes), element % (16 / bytes));
      }
      ASSERT_EQ(reached.size(), 1024u);
    }
  }
}

} // namespace

} // namespace tilewise
