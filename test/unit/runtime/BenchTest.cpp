// Measuring and reports: what is counted, and what stands in the three forms of a report.
#include "runtime/bench/Measure.h"
#include "runtime/bench/PerfReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

#include <chrono>

namespace tilewise::bench {

TEST(Bench, QuantilesAreLinearBetweenNeighbours) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 4);
  EXPECT_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.2), 1.6);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

/// A call that takes at least so long.
static auto waits(std::chrono::microseconds time, int &calls) {
  return [time, &calls]() -> Result<void> {
    ++calls;
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end)
      ;
    return {};
  };
}

TEST(Bench, EachCallIsTimedAfterAWarmUp) {
  int calls = 0;
  Result<std::vector<double>> times =
      measure(tw_cpu(), nullptr, waits(std::chrono::microseconds(100), calls), {2, 5, false});
  ASSERT_TRUE(times);
  EXPECT_GE(times->size(), 1u);
  EXPECT_LE(times->size(), 50u);
  EXPECT_GT(calls, int(times->size()) + 6) << "one that may compile, five for an estimate, and the warm-up";
  for (double time : *times)
    EXPECT_GE(time, 0.1);
}

TEST(Bench, AFailureEndsIt) {
  int calls = 0;
  Result<std::vector<double>> times = measure(tw_cpu(), nullptr, [&]() -> Result<void> {
    return ++calls == 3 ? Result<void>(launchFailure("no more")) : Result<void>();
  });
  ASSERT_FALSE(times);
  EXPECT_EQ(times.failure().message, "no more");
  EXPECT_EQ(calls, 3);
}

static PerfReport sample() {
  PerfReport report({"add & more", "n", "GB/s", true, false});
  report.add("ours", 1024, 10, std::pair(9.0, 11.0));
  report.add("ours", 4096, 30.5);
  report.add("theirs, old", 4096, 20);
  return report;
}

TEST(PerfReport, Csv) { EXPECT_EQ(sample().csv(), "n,ours (GB/s),\"theirs, old (GB/s)\"\n1024,10,\n4096,30.5,20\n"); }

TEST(PerfReport, Json) {
  auto parsed = llvm::json::parse(sample().json());
  ASSERT_TRUE(bool(parsed));
  const llvm::json::Object &object = *parsed->getAsObject();
  EXPECT_EQ(*object.getString("title"), "add & more");
  const llvm::json::Object &ours = *(*object.getArray("lines"))[0].getAsObject();
  EXPECT_EQ(*(*ours.getArray("points"))[0].getAsObject()->getNumber("high"), 11);
}

TEST(PerfReport, HtmlHoldsThePlotAndNeedsNothingBesideIt) {
  const std::string page = sample().html();
  for (const char *part :
       {"<title>add &amp; more</title>", "<svg ", "<polyline points=", "<polygon points=", ">n</text>", ">GB/s</text>",
        ">1024</text>", "prefers-color-scheme: dark", "<td>30.5</td>", "theirs, old"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char *outside : {"http:", "https:", "src=", "href="})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(PerfReport, OddDataStillPlots) {
  PerfReport nothing({"", "", "", true, true});
  EXPECT_NE(nothing.html().find("<svg"), std::string::npos);
  PerfReport one({"one", "x", "y", true, true});
  one.add("line", 8, 0);
  one.add("line", 8, 0);
  EXPECT_EQ(one.html().find("nan"), std::string::npos);
}

TEST(PerfReport, IsWrittenByThePathsEnd) {
  const std::string path = testing::TempDir() + "tilewise-report.csv";
  ASSERT_TRUE(sample().write(path));
  EXPECT_EQ((*llvm::MemoryBuffer::getFile(path))->getBuffer(), sample().csv());
  std::remove(path.c_str());
  EXPECT_FALSE(sample().write("report.png"));
  EXPECT_FALSE(sample().write("/dev/null/report.csv"));
}

} // namespace tilewise::bench
