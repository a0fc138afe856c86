// What an internal error leaves behind, read back and run again; and shrinking, with a condition of
// the test's own in the place of a compile that fails.
#include "driver/Reproducer.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace tilewise;

namespace {

constexpr const char *kText = R"(import triton
import triton.language as tl

WIDTH = 16

@triton.jit
def kernel(x, n):
    at = tl.arange(0, WIDTH)
    y = tl.load(x + at, mask=at < n, other=0.0)
    for i in range(n):
        y = y * 2.0 + i
    tl.store(x + at, tl.exp(y), mask=at < n)
)";

class ReproducerTest : public testing::Test {
protected:
  void SetUp() override {
    // Its own: tests run side by side.
    folder = testing::TempDir() + "tilewise-repro-test-" + std::to_string(getpid());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    setenv("TILEWISE_REPRO_DIR", folder.c_str(), 1);
    request.kernel.file = &file;
    request.kernel.kernel = "kernel";
    request.kernel.arguments = *frontend::parseSignature("*fp32:16, i32");
    request.kernel.defines["WIDTH"] = "32";
    request.target = *Target::parse("cpu:haswell");
    request.options.numStages = 5;
    request.options.debug = true;
  }
  void TearDown() override {
    unsetenv("TILEWISE_REPRO_DIR");
    std::filesystem::remove_all(folder);
  }

  std::vector<std::string> filesThere() const {
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      files.push_back(entry.path());
    return files;
  }

  std::string folder;
  SourceFile file{"kernel.py", kText, 7};
  CompileRequest request;
};

TEST_F(ReproducerTest, HasTheWholeRequest) {
  const Failure failure =
      withReproducer(internalFailure("stage 'to cpu' failed:\nkernel.py:3:4: error: no\n"), request);
  ASSERT_EQ(filesThere().size(), 1u);
  EXPECT_NE(failure.message.find("tilewise repro " + filesThere().front()), std::string::npos) << failure.message;
  // The same failure again is the same file.
  withReproducer(internalFailure("stage 'to cpu' failed:\nkernel.py:3:4: error: no\n"), request);
  EXPECT_EQ(filesThere().size(), 1u);
  EXPECT_EQ(std::filesystem::status(filesThere().front()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  std::ifstream stream(filesThere().front());
  auto read = Reproducer::read(std::string(std::istreambuf_iterator<char>(stream), {}), "there.py");
  ASSERT_TRUE(bool(read)) << read.failure().message;
  EXPECT_EQ(read->error, "stage 'to cpu' failed: kernel.py:3:4: error: no");
  EXPECT_EQ(read->request.kernel.kernel, "kernel");
  EXPECT_EQ(read->request.kernel.arguments, request.kernel.arguments);
  EXPECT_EQ(read->request.kernel.defines.lookup("WIDTH"), "32");
  EXPECT_EQ(read->request.target, request.target);
  EXPECT_TRUE(read->request.options == request.options);
  EXPECT_EQ(read->file->text(), kText);
  EXPECT_EQ(read->file->path(), "kernel.py");
  EXPECT_EQ(read->file->firstLine(), 7u);
  EXPECT_NE(read->tile.find("tensor<32xf32>"), std::string::npos);
  // Printed again it is the same, and the compile of it is fine: nothing was wrong with it.
  EXPECT_EQ(read->print(), Reproducer(*read).print());
  Result<void> done = read->replay();
  EXPECT_TRUE(bool(done)) << done.failure().message;
}

TEST_F(ReproducerTest, OnlyInternalErrorsLeaveOne) {
  EXPECT_EQ(withReproducer(kernelFailure("no"), request).message, "no");
  EXPECT_EQ(withReproducer(launchFailure("no"), request).message, "no");
  EXPECT_TRUE(filesThere().empty());
}

TEST_F(ReproducerTest, AFolderThatCannotBeWrittenIsSaid) {
  setenv("TILEWISE_REPRO_DIR", (folder + "/not/there").c_str(), 1);
  const Failure failure = withReproducer(internalFailure("broken"), request);
  EXPECT_NE(failure.message.find("no reproducer could be written: " + folder + "/not/there"), std::string::npos);
  EXPECT_EQ(failure.kind, ErrorKind::Internal);
}

TEST_F(ReproducerTest, DamagedFilesAreRefused) {
  EXPECT_NE(Reproducer::read("import triton\n", "x.py").failure().message.find("x.py: no reproducer"),
            std::string::npos);
  EXPECT_NE(Reproducer::read("# tilewise repro 0.1.0\n# kernel: k\n", "x.py").failure().message.find("damaged"),
            std::string::npos);
  EXPECT_FALSE(bool(Reproducer::read("# tilewise repro 0.1.0\n# options: 1 2\n# text:\n", "x.py")));
}

TEST_F(ReproducerTest, ShrinksTileIrToWhatMatters) {
  Result<std::string> tile = emitStage(request, "tile");
  ASSERT_TRUE(bool(tile));
  unsigned asked = 0;
  const std::string small = shrinkTile(
      *tile,
      [&](const std::string &candidate) {
        ++asked;
        return candidate.find("math.exp") != std::string::npos;
      },
      1000);
  EXPECT_NE(small.find("math.exp"), std::string::npos);
  EXPECT_GT(countOps(*tile), 15u);
  // A constant or a load, its exp, and what uses it.
  EXPECT_LE(countOps(small), 5u) << small;
  EXPECT_GT(asked, 5u);
}

TEST_F(ReproducerTest, ShrinksTextToWhatMatters) {
  const std::string small =
      shrinkText(kText, [](const std::string &text) { return text.find("y * 2.0") != std::string::npos; }, 1000);
  EXPECT_EQ(small.find("tl.store"), std::string::npos) << small;
  EXPECT_LE(llvm::count(small, '\n'), 4) << small;
}

} // namespace
