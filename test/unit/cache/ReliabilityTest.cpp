// The disk cache under what happens to it: many processes, killed writers, full and read-only file
// systems.
#include "cache/CacheTesting.h"
#include "driver/Recall.h"

#include <csignal>
#include <random>
#include <sched.h>
#include <sys/mount.h>

namespace tilewise::cache {

static constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def add(x, y, n, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + SHIFT, mask=i < n)
)";

/// Kernel `number` of a series, from the folder or compiled; null where that failed.
static std::optional<CompiledKernel> getKernel(Folder &folder, int number) {
  const SourceFile file("add.py", kText);
  CompileRequest request;
  request.kernel.file = &file;
  request.kernel.kernel = "add";
  request.kernel.arguments = {{"*fp32", false, 16}, {"*fp32", false, 16}, {"i32"}, {"64", true}, {"0", true}};
  request.kernel.arguments.back().text = std::to_string(number);
  Diagnostics diagnostics;
  Result<CompiledKernel> kernel = recallOrCompile(request, diagnostics, &folder);
  return kernel ? std::optional<CompiledKernel>(std::move(*kernel)) : std::nullopt;
}

TEST(CacheReliability, ManyProcessesShareAnEmptyCache) {
  constexpr int kProcesses = 64, kKernels = 20;
  ScratchFolder scratch;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      Folder folder(scratch.path + "/cache", 64 << 20);
      int failures = 0;
      // Each begins elsewhere, so that all write and all read.
      for (int i = 0; i < kKernels; ++i)
        failures += !getKernel(folder, (i + process) % kKernels);
      _exit(failures + !folder.takeProblem().empty());
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  const Leftovers found = lookThrough(scratch.path + "/cache");
  EXPECT_EQ(found.entries, size_t(kKernels));
  EXPECT_EQ(found.torn, 0u);
  EXPECT_EQ(found.left, 0u);
  Folder folder(scratch.path + "/cache", 64 << 20);
  const std::optional<CompiledKernel> recalled = getKernel(folder, 7);
  ASSERT_TRUE(recalled);
  EXPECT_TRUE(recalled->isRecalled);
}

/// Kills processes in the midst of writing entries of many sizes; gives how many entries were there
/// at the end.
static size_t killWriters(int kills) {
  ScratchFolder scratch;
  std::mt19937 random(20261116);
  size_t seen = 0;
  for (int kill = 0; kill < kills; ++kill) {
    const pid_t child = fork();
    if (child == 0) {
      Folder folder(scratch.path, 1 << 20); // Small enough that entries are evicted meanwhile.
      for (uint64_t i = 0;; ++i)
        folder.write(entryNumber(i % 50 + uint64_t(kill % 7) * 20, 100 + i * 7919 % 60000));
    }
    usleep(random() % 4000);
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Leftovers found = lookThrough(scratch.path);
    EXPECT_EQ(found.torn, 0u) << "after kill " << kill;
    EXPECT_LE(found.left, size_t(kill) + 1);
    seen = found.entries;
    if (found.torn)
      break;
  }
  // And the next one works on.
  Folder folder(scratch.path, 1 << 20);
  EXPECT_TRUE(folder.write(entryNumber(1)));
  EXPECT_TRUE(folder.read(keyNumber(1)));
  EXPECT_EQ(folder.takeProblem(), "");
  return seen;
}

TEST(CacheReliability, AKilledWriterLeavesWholeEntriesOrNone) { EXPECT_GT(killWriters(40), 0u); }

TEST(CacheReliability, LongThousandKilledWriters) {
  if (!std::getenv("TILEWISE_LONG_TESTS"))
    GTEST_SKIP() << "set TILEWISE_LONG_TESTS=1";
  EXPECT_GT(killWriters(1000), 0u);
}

/// What a child does on a file system of its own: exit code 0 when all is well, 77 where it may not
/// have one.
template <typename Body> static int onFileSystem(const std::string &path, const char *options, const Body &body) {
  return inChild([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", path.c_str(), "tmpfs", 0, options) != 0)
      return 77;
    return body();
  });
}

TEST(CacheReliability, AFullDiskMeansCompiling) {
  ScratchFolder scratch;
  const int code = onFileSystem(scratch.path, "size=64k", [&] {
    Folder folder(scratch.path + "/cache", 64 << 20);
    size_t warnings = 0;
    for (int i = 0; i < 60; ++i) {
      std::optional<CompiledKernel> kernel = getKernel(folder, i);
      if (!kernel)
        return 1;
      for (const auto &[severity, text] : kernel->messages)
        warnings += llvm::StringRef(text).contains("cannot keep compiled kernels");
    }
    const Leftovers found = lookThrough(folder.path());
    return found.torn || found.left || !found.entries ? 2 : warnings != 1 ? 3 : 0;
  });
  if (code == 77)
    GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(code, 0);
}

TEST(CacheReliability, AReadOnlyDiskMeansCompilingWhatIsNotThere) {
  ScratchFolder scratch;
  const int code = onFileSystem(scratch.path, "size=1m", [&] {
    {
      Folder folder(scratch.path + "/cache", 64 << 20);
      if (!getKernel(folder, 1))
        return 1;
    }
    if (mount("tmpfs", scratch.path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) != 0)
      return 77;
    Folder folder(scratch.path + "/cache", 64 << 20);
    const std::optional<CompiledKernel> first = getKernel(folder, 1), second = getKernel(folder, 2),
                                        third = getKernel(folder, 3);
    if (!first || !first->isRecalled || !first->messages.empty() || !second || !third)
      return 2;
    if (second->messages.size() != 1 || !third->messages.empty())
      return 3;
    // And who asks for more is told why not.
    const Result<size_t> cleared = folder.clear();
    return !cleared && llvm::StringRef(cleared.failure().message).ends_with("Read-only file system") ? 0 : 4;
  });
  if (code == 77)
    GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(code, 0);
}

TEST(CacheReliability, AFolderThatCannotBeMeansCompiling) {
  ScratchFolder scratch;
  std::ofstream(scratch.path + "/file") << "in the way";
  Folder folder(scratch.path + "/file/cache", 64 << 20);
  const std::optional<CompiledKernel> kernel = getKernel(folder, 1);
  ASSERT_TRUE(kernel);
  ASSERT_EQ(kernel->messages.size(), 1u);
  EXPECT_NE(kernel->messages[0].second.find("file/cache"), std::string::npos);
  EXPECT_TRUE(getKernel(folder, 2)->messages.empty());
}

} // namespace tilewise::cache
