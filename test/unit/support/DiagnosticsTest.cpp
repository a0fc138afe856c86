// The form in which a user reads an error: place, words, line, caret, notes.
#include "support/Diagnostics.h"

#include "gtest/gtest.h"

using namespace tilewise;

TEST(Diagnostics, ErrorShowsLineCaretAndNote) {
  SourceFile file("k.py", "def k(x):\n    y = tl.dot(x, w)\n");
  Diagnostics diagnostics;
  Diagnostic &error = diagnostics.error({&file, 2, 16}, "tl.dot needs both operands of rank 2, got 'x' of shape [64]");
  error.notes.push_back({Severity::Note, {&file, 1, 7}, "'x' comes in here", {}});
  EXPECT_EQ(diagnostics.render(), "k.py:2:16: error: tl.dot needs both operands of rank 2, got 'x' of shape [64]\n"
                                  "    2 |     y = tl.dot(x, w)\n"
                                  "      |                ^\n"
                                  "note: 'x' comes in here: k.py:1:7\n");
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST(Diagnostics, WarningIsNoError) {
  Diagnostics diagnostics;
  diagnostics.warning({}, "[perf] slow");
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), "warning: [perf] slow\n");
}

TEST(Diagnostics, TabsBeforeTheColumnAreKeptUnderTheLine) {
  SourceFile file("k.py", "\t\tx\n");
  Diagnostics diagnostics;
  diagnostics.error({&file, 1, 3}, "no");
  EXPECT_EQ(diagnostics.render(), "k.py:1:3: error: no\n    1 | \t\tx\n      | \t\t^\n");
}

TEST(Diagnostics, CaretStandsUnderTheCharacterNotTheByte) {
  SourceFile file("k.py", "é = $\n");
  Diagnostics diagnostics;
  diagnostics.error({&file, 1, 6}, "no");
  EXPECT_EQ(diagnostics.render(), "k.py:1:6: error: no\n    1 | é = $\n      |     ^\n");
}

TEST(SourceFile, LinesCountFromTheFirstLineGiven) {
  SourceFile file("k.py", "a\r\nb\n", 40);
  EXPECT_EQ(file.line(40), "a");
  EXPECT_EQ(file.line(41), "b");
  EXPECT_EQ(file.line(39), "");
  EXPECT_EQ(file.line(43), "");
}

TEST(Diagnostics, UnderlineEndsWithWhatIsMeantOrTheLine) {
  SourceFile file("k.py", "y = tl.dot(é, w,\n           z)\n");
  Diagnostics diagnostics;
  diagnostics.error({&file, 1, 5, 6}, "here");
  diagnostics.error({&file, 1, 12, 2}, "one character");
  diagnostics.error({&file, 1, 5, 400}, "over lines");
  EXPECT_EQ(diagnostics.render(), "k.py:1:5: error: here\n    1 | y = tl.dot(é, w,\n      |     ^~~~~~\n"
                                  "k.py:1:12: error: one character\n    1 | y = tl.dot(é, w,\n      |            ^\n"
                                  "k.py:1:5: error: over lines\n    1 | y = tl.dot(é, w,\n      |     ^~~~~~~~~~~~\n");
}

TEST(Diagnostics, PromotedWarningsAreErrors) {
  Diagnostics diagnostics;
  EXPECT_FALSE(diagnostics.promoteWarnings());
  diagnostics.warning({}, "slow");
  EXPECT_TRUE(diagnostics.promoteWarnings());
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(diagnostics.render(), "error: slow\n");
}
