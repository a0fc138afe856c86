// Stage times add up per name and keep the order of first use.
#include "support/Timer.h"

#include "gtest/gtest.h"

using namespace tilewise;

TEST(StageTimes, AddsUpPerStageInOrderOfFirstUse) {
  StageTimes times;
  times.add("parse", 1.5);
  times.add("emit", 2.0);
  times.add("parse", 0.5);
  ASSERT_EQ(times.stages().size(), 2u);
  EXPECT_EQ(times.stages()[0].name, "parse");
  EXPECT_DOUBLE_EQ(times.stages()[0].milliseconds, 2.0);
  EXPECT_EQ(times.stages()[1].name, "emit");
  EXPECT_DOUBLE_EQ(times.total(), 4.0);
}

TEST(StageTimes, TimerWithoutTimesMeasuresNothing) {
  {
    StageTimer timer(nullptr, "parse");
  }
  StageTimes times;
  {
    StageTimer timer(&times, "parse");
  }
  ASSERT_EQ(times.stages().size(), 1u);
  EXPECT_GE(times.stages()[0].milliseconds, 0.0);
}
