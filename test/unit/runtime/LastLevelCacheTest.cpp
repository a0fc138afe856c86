// The size of the last level of caches from what Linux says of processor 0.
#include "runtime/LastLevelCache.h"

#include <gtest/gtest.h>

using namespace tilewise;

TEST(LastLevelCache, IsOneWhereAllProcessorsShareIt) {
  const LastLevelCache cache = lastLevelCache("49152K", "0-15", 16);
  EXPECT_EQ(cache.bytes, uint64_t(48) << 20);
  EXPECT_EQ(cache.count, 1u);
  EXPECT_EQ(cache.reachedBy(16), uint64_t(48) << 20);
}

TEST(LastLevelCache, IsSeveralOfWhichThreadsReachAsMany) {
  const LastLevelCache cache = lastLevelCache("32768K", "0-7,96-103", 192);
  EXPECT_EQ(cache.bytes, uint64_t(32) << 20);
  EXPECT_EQ(cache.count, 12u);
  EXPECT_EQ(cache.reachedBy(1), uint64_t(32) << 20);
  EXPECT_EQ(cache.reachedBy(4), uint64_t(128) << 20);
  EXPECT_EQ(cache.reachedBy(192), uint64_t(384) << 20);
}

TEST(LastLevelCache, OfOneProcessorAlone) {
  const LastLevelCache cache = lastLevelCache("2M", "3", 4);
  EXPECT_EQ(cache.bytes, uint64_t(2) << 20);
  EXPECT_EQ(cache.count, 4u);
}

TEST(LastLevelCache, IsAMiddlingServersWhereNothingTells) {
  const LastLevelCache cache = lastLevelCache("", "", 8);
  EXPECT_EQ(cache.bytes, uint64_t(32) << 20);
  EXPECT_EQ(cache.count, 1u);
}

TEST(LastLevelCache, OfThisMachine) {
  EXPECT_GT(lastLevelCacheOfMachine.bytes, 0u);
  EXPECT_GE(lastLevelCacheOfMachine.count, 1u);
}
