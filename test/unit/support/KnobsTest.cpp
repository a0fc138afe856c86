// docs/knobs.md has one row per knob of ours and no other, with the same words.
#include "support/Knobs.h"
#include "TestRoot.h"

#include "gtest/gtest.h"

#include <sstream>

using namespace tilewise;

TEST(Knobs, TableInDocsIsTheTableInCode) {
  std::vector<std::string> expected;
  for (const knobs::Knob &knob : knobs::all())
    expected.push_back(std::string("| `") + knob.name + "` | " + knob.meaning + " | " + knob.fallback + " |");

  std::vector<std::string> found;
  std::istringstream text(test::readRootFile("docs/knobs.md"));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("| `TILEWISE_"))
      found.push_back(line);
  EXPECT_EQ(found, expected);
}

TEST(Knobs, ThreadCountIgnoresWhatIsNoCount) {
  setenv("TILEWISE_NUM_THREADS", "3", 1);
  EXPECT_EQ(knobs::numThreads(), 3u);
  for (const char *bad : {"0", "-1", "many", ""}) {
    setenv("TILEWISE_NUM_THREADS", bad, 1);
    EXPECT_EQ(knobs::numThreads(), std::nullopt) << bad;
  }
  unsetenv("TILEWISE_NUM_THREADS");
  EXPECT_EQ(knobs::numThreads(), std::nullopt);
}

TEST(Knobs, NumbersThatCannotBeReadAreNamed) {
  setenv("TILEWISE_NUM_THREADS", "two", 1);
  setenv("TILEWISE_MAX_VARIANTS", "0", 1);
  setenv("TILEWISE_WAIT_SECONDS", "0", 1);
  EXPECT_EQ(knobs::problems(),
            (std::vector<std::string>{
                "TILEWISE_NUM_THREADS is 'two', expected a number from 1 to 4096; it has no effect",
                "TILEWISE_MAX_VARIANTS is '0', expected a number from 1 to 1073741824; it has no effect"}));
  EXPECT_EQ(knobs::maxVariants(), 4096u);
  EXPECT_EQ(knobs::waitSeconds(), 0u);
  setenv("TILEWISE_NUM_THREADS", "5000", 1);
  EXPECT_EQ(knobs::numThreads(), std::nullopt);
  for (const char *name : {"TILEWISE_NUM_THREADS", "TILEWISE_MAX_VARIANTS", "TILEWISE_WAIT_SECONDS"})
    unsetenv(name);
  EXPECT_EQ(knobs::problems(), std::vector<std::string>());
}

TEST(Knobs, WordsThatMeanNothingAreNamed) {
  setenv("TILEWISE_TUNE", "off", 1);
  setenv("TILEWISE_SPECIALIZE", "no", 1);
  EXPECT_FALSE(knobs::neverTunes());
  EXPECT_EQ(knobs::problems(),
            (std::vector<std::string>{"TILEWISE_TUNE is 'off', expected never; it has no effect",
                                      "TILEWISE_SPECIALIZE is 'no', expected 0 or 1; it has no effect"}));
  unsetenv("TILEWISE_TUNE");
  unsetenv("TILEWISE_SPECIALIZE");
  for (const char *off : {"0", "false", "Off", "no", ""}) {
    setenv("TILEWISE_PERF_MAP", off, 1);
    EXPECT_FALSE(knobs::perfMap()) << off;
  }
  setenv("TILEWISE_PERF_MAP", "1", 1);
  EXPECT_TRUE(knobs::perfMap());
  unsetenv("TILEWISE_PERF_MAP");
}

TEST(Knobs, StagesGoWhereEitherNameSays) {
  for (const char *name : {"TILEWISE_DUMP_DIR", "TRITON_KERNEL_DUMP", "TRITON_DUMP_DIR"})
    unsetenv(name);
  setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(knobs::dumpDir(), "");
  setenv("TRITON_DUMP_DIR", "/theirs", 1);
  EXPECT_EQ(knobs::dumpDir(), "");
  setenv("TRITON_KERNEL_DUMP", "1", 1);
  EXPECT_EQ(knobs::dumpDir(), "/theirs");
  unsetenv("TRITON_DUMP_DIR");
  EXPECT_EQ(knobs::dumpDir(), "/somewhere/.triton/dump");
  setenv("TILEWISE_DUMP_DIR", "/ours", 1);
  EXPECT_EQ(knobs::dumpDir(), "/ours");
  unsetenv("TILEWISE_DUMP_DIR");
  unsetenv("TRITON_KERNEL_DUMP");
}

TEST(Knobs, CacheFolderFallsBackFromOwnNameToXdgToHome) {
  setenv("HOME", "/somewhere", 1);
  unsetenv("TILEWISE_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(knobs::cacheDir(), "/somewhere/.cache/tilewise");
  // Services are started without HOME; the system knows their user's folder.
  unsetenv("HOME");
  EXPECT_TRUE(llvm::StringRef(knobs::cacheDir()).ends_with("/.cache/tilewise")) << knobs::cacheDir();
  setenv("HOME", "/somewhere", 1);
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(knobs::cacheDir(), "/xdg/tilewise");
  setenv("TILEWISE_CACHE_DIR", "/own", 1);
  EXPECT_EQ(knobs::cacheDir(), "/own");
}
