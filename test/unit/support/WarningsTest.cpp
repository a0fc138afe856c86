// Flags switch warnings by name, and docs/warnings.md has one row per warning, with the same words.
#include "support/Warnings.h"
#include "TestRoot.h"

#include "gtest/gtest.h"

#include <sstream>

using namespace tilewise;

TEST(Warnings, TableInDocsIsTheTableInCode) {
  std::vector<std::string> expected;
  for (const WarningInfo &info : allWarnings())
    expected.push_back(std::string("| `") + info.name + "` | " + info.meaning + " |");
  std::vector<std::string> found;
  std::istringstream text(test::readRootFile("docs/warnings.md"));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("| `"))
      found.push_back(line);
  EXPECT_EQ(found, expected);
}

TEST(Warnings, FlagsAreAppliedInOrder) {
  WarningSet set;
  EXPECT_TRUE(set.has(Warning::MaskOther));
  EXPECT_FALSE(set.areErrors());
  ASSERT_TRUE(set.applyAll("-Wno-all, mask-other,-Werror"));
  EXPECT_TRUE(set.has(Warning::MaskOther));
  EXPECT_FALSE(set.has(Warning::HalfAccumulator));
  EXPECT_TRUE(set.areErrors());
  ASSERT_TRUE(set.applyAll("no-error no-mask-other"));
  EXPECT_FALSE(set.any());
  EXPECT_FALSE(set.areErrors());
}

TEST(Warnings, PerfWaitsToBeAsked) {
  WarningSet set;
  EXPECT_FALSE(set.has(Warning::Perf));
  ASSERT_TRUE(set.applyAll("perf"));
  EXPECT_TRUE(set.has(Warning::Perf));
  EXPECT_TRUE(set.has(Warning::MaskOther));
  ASSERT_TRUE(set.applyAll("all"));
  EXPECT_FALSE(set.has(Warning::Perf));
}

TEST(Warnings, FlagsOfASetMakeItAgain) {
  WarningSet set, again;
  ASSERT_TRUE(set.applyAll("no-unmasked-access,error"));
  ASSERT_TRUE(again.applyAll(set.flags()));
  EXPECT_EQ(set, again);
}

TEST(Warnings, UnknownNameListsTheKnownOnes) {
  WarningSet set;
  Result<void> applied = set.applyAll("no-such-thing");
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.failure().message,
            "unknown warning 'no-such-thing': expected unmasked-access, half-accumulator, same-address-store, "
            "mask-other, launch-grid, overlapping-store, offset-width, mask-mismatch, scatter-update, unshifted-exp, "
            "perf, all or error, each with no- before it to "
            "switch it "
            "off");
}
