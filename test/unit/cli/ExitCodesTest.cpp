// What the shell is told: one exit code per kind of failure, and FILE[:KERNEL] cut in one place.
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>

using namespace tilewise;
using namespace tilewise::cli;

TEST(ExitCodes, OnePerKindOfFailure) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(report(kernelFailure("k.py:1:1: error: no\n")), 1);
  EXPECT_EQ(report(launchFailure("no such device")), 1);
  EXPECT_EQ(report(internalFailure("a stage broke its contract")), 70);
  EXPECT_EQ(reportUsage("emit", "--stage is missing"), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "k.py:1:1: error: no\nno such device\n"
                                                    "internal error: a stage broke its contract\n"
                                                    "tilewise emit: --stage is missing\ntry 'tilewise emit --help'\n");
}

TEST(KernelFile, PathIsCutAtTheLastColonUnlessTheFileExists) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(splitKernelPath("no/such.py:k"), Pair("no/such.py", "k"));
  EXPECT_EQ(splitKernelPath("no/such.py"), Pair("no/such.py", ""));
  std::string odd = testing::TempDir() + "a:b.py";
  std::ofstream(odd) << "x = 1\n";
  EXPECT_EQ(splitKernelPath(odd), Pair(odd, ""));
  EXPECT_EQ(splitKernelPath(odd + ":k"), Pair(odd, "k"));
  std::remove(odd.c_str());
}
