// The assembler of GPU code is run once per text and program; a script stands in for it.
#include "runtime/CudaAssembler.h"
#include "cache/CacheTesting.h"

#include <sys/stat.h>

namespace tilewise::cuda {

/// A program that takes ptxas's words, and writes what it says to the file after -o.
static void writeProgram(const std::string &path, const std::string &says) {
  std::ofstream(path) << "#!/bin/sh\necho run >> " << path << ".runs\necho -n '" << says << "' > $3\n";
  ASSERT_EQ(chmod(path.c_str(), 0700), 0);
}

static size_t countRuns(const std::string &path) {
  std::ifstream runs(path + ".runs");
  return size_t(std::count(std::istreambuf_iterator<char>(runs), {}, '\n'));
}

TEST(CudaAssembler, RunsOncePerTextAndProgram) {
  cache::ScratchFolder scratch;
  cache::Folder folder(scratch.path + "/cache", 1 << 20);
  const std::string program = scratch.path + "/ptxas";
  writeProgram(program, "code");
  for (int i = 0; i < 3; ++i) {
    Result<std::string> code = assembleOrRecall(program, "text", 90, &folder);
    ASSERT_TRUE(code) << code.failure().message;
    EXPECT_EQ(*code, "code");
  }
  EXPECT_EQ(countRuns(program), 1u);
  EXPECT_TRUE(assembleOrRecall(program, "other text", 90, &folder));
  EXPECT_TRUE(assembleOrRecall(program, "text", 80, &folder));
  EXPECT_EQ(countRuns(program), 3u);
  writeProgram(program, "code of a newer one");
  EXPECT_EQ(*assembleOrRecall(program, "text", 90, &folder), "code of a newer one");
  EXPECT_TRUE(assembleOrRecall(program, "text", 90, nullptr));
  EXPECT_EQ(countRuns(program), 5u);
}

} // namespace tilewise::cuda
