// The record of what a process did: compiles, launches, copies and tuning, as a trace and a table.
#include "tilewise/profile.hpp"
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"
#include "tilewise/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

std::size_t countOf(const std::string &text, const std::string &part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// The cells of the row that begins with these words.
std::vector<std::string> rowOf(const std::string &table, const std::string &kind, const std::string &name) {
  std::size_t start = 0;
  while (start < table.size()) {
    const std::size_t end = table.find('\n', start);
    std::vector<std::string> cells;
    std::string line = table.substr(start, end - start) + "  ";
    for (std::size_t at = 0, next; (next = line.find("  ", at)) != std::string::npos;
         at = std::min(line.find_first_not_of(' ', next), line.size()))
      cells.push_back(line.substr(at, next - at));
    if (cells.size() > 1 && cells[0] == kind && cells[1] == name)
      return cells;
    start = end + 1;
  }
  return {};
}

TEST(Profile, HasCompilesLaunchesAndCopies) {
  auto add = Kernel::load(test::rootPath("kernels/vector_add.py"));
  const Profile profile;
  const int n = 1 << 16;
  auto x = Tensor::from(std::vector<float>(n, 1)), y = Tensor::from(std::vector<float>(n, 2)), z = Tensor::like(x);
  for (int i = 0; i < 5; ++i)
    add[cdiv(n, 1024)](x, y, z, n, "BLOCK"_a = 1024);
  add[1](x, x, z, 1000, "BLOCK"_a = 1024); // x counts once
  EXPECT_EQ(z.toVector<float>()[0], 2);

  const std::string table = profile.table(), trace = profile.trace();
  const auto launches = rowOf(table, "launch", "vector_add");
  ASSERT_GE(launches.size(), 8u) << table;
  EXPECT_EQ(launches[2], "cpu");
  EXPECT_EQ(launches[3], "6");
  // 5 x 3 + 2 tensors of 256 KiB.
  EXPECT_EQ(launches[7], "4.46 MB") << table;
  const auto copies = rowOf(table, "copy", "to the device");
  ASSERT_GE(copies.size(), 8u) << table;
  EXPECT_EQ(copies[3], "2");
  EXPECT_EQ(copies[7], "0.52 MB");
  EXPECT_FALSE(rowOf(table, "copy", "to the host").empty()) << table;
  // Two signatures, found in the cache by now or not.
  EXPECT_EQ(countOf(trace, "\"cat\":\"compile\"") + countOf(trace, "\"cat\":\"recall\""), 2u);
  EXPECT_EQ(countOf(trace, "\"cat\":\"launch\""), 6u);
  EXPECT_EQ(countOf(trace, "\"what\":\"grid 64 x 1 x 1\""), 5u);
  EXPECT_EQ(trace.substr(0, 16), "{\"traceEvents\":[");
}

TEST(Profile, IsOffUnlessItLives) {
  auto copy = Kernel::load(test::rootPath("kernels/copy.py"));
  Tensor x(DType::Float32, {64}), z(DType::Float32, {64});
  {
    const Profile profile;
  }
  copy[1](x, z, 64, 64);
  char *text = nullptr;
  ASSERT_EQ(tw_profile_table(&text), TW_OK);
  EXPECT_EQ(countOf(detail::take(text), "\n"), 1u); // the head
}

TEST(Profile, ManyThreadsAndAFork) {
  auto copy = Kernel::load(test::rootPath("kernels/copy.py"));
  const Profile profile;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      Tensor x(DType::Float32, {64}), z(DType::Float32, {64});
      for (int i = 0; i < 200; ++i)
        copy[1](x, z, 64, 64);
    });
  const pid_t child = fork();
  if (child == 0) {
    Tensor x(DType::Float32, {64}), z(DType::Float32, {64});
    for (int i = 0; i < 3; ++i)
      copy[1](x, z, 64, 64);
    // Its record is its own.
    _exit(rowOf(profile.table(), "launch", "copy")[3] == "3" ? 0 : 1);
  }
  for (std::thread &thread : threads)
    thread.join();
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(rowOf(profile.table(), "launch", "copy")[3], "1600");
}

TEST(Profile, TracesOfProcessesBecomeOne) {
  auto copy = Kernel::load(test::rootPath("kernels/copy.py"));
  const Profile profile;
  Tensor x(DType::Float32, {64}), z(DType::Float32, {64});
  copy[1](x, z, 64, 64);
  const std::string trace = profile.trace();
  const char *traces[] = {trace.c_str(), "no json", "[1, 2]", trace.c_str()};
  char *json = nullptr, *table = nullptr;
  ASSERT_EQ(tw_profile_merge(traces, 4, &json, &table), TW_OK);
  EXPECT_EQ(rowOf(detail::take(table), "launch", "copy")[3], "2");
  EXPECT_EQ(countOf(detail::take(json), "\"cat\":\"launch\""), 2u);
}

TEST(Profile, CeilingsThatWereNotMeasuredAreAnError) {
  // A device that no measurement is of.
  tw_ceilings ceilings = {};
  EXPECT_EQ(tw_device_ceilings({TW_ENGINE_REFERENCE, 0}, false, &ceilings), TW_ERROR_LAUNCH);
  EXPECT_NE(std::string(tw_last_error()).find("tilewise info --measure"), std::string::npos);
}

} // namespace
