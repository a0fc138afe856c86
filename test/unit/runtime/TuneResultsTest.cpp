// The tuning file that is shipped, under many writers at once and killed ones.
#include "cache/CacheTesting.h"
#include "runtime/tune/Results.h"

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

namespace tilewise::tune {

static ResultsFile oneResult(const std::string &key) {
  ResultsFile file;
  file.set({"add", "", "cpu: some, 2 threads", key}, *Config::parse("BLOCK=64"));
  return file;
}

static size_t filesIn(const std::string &folder) {
  return size_t(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(TuneResults, ManyWritersLoseNothing) {
  constexpr int kProcesses = 6, kThreads = 4, kResults = 5;
  cache::ScratchFolder scratch;
  const std::string path = scratch.path + "/tuned.json";
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      std::atomic<int> failures = 0;
      std::vector<std::thread> threads;
      for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
          for (int i = 0; i < kResults; ++i)
            failures += !oneResult("n=" + std::to_string((process * kThreads + thread) * kResults + i)).write(path);
        });
      for (std::thread &thread : threads)
        thread.join();
      _exit(failures);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  Result<ResultsFile> all = ResultsFile::read(path);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), size_t(kProcesses * kThreads * kResults));
  EXPECT_EQ(filesIn(scratch.path), 1u);
}

TEST(TuneResults, AKilledWriterLeavesAWholeFileAndTheNextOneClearsUp) {
  cache::ScratchFolder scratch;
  const std::string path = scratch.path + "/tuned.json";
  ASSERT_TRUE(oneResult("first").write(path));
  std::mt19937 random(20261118);
  for (int kill = 0; kill < 40; ++kill) {
    const pid_t child = fork();
    if (child == 0)
      for (int i = 0;; ++i)
        (void)oneResult("n=" + std::to_string(i % 100)).write(path);
    usleep(random() % 3000);
    ::kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_TRUE(ResultsFile::read(path)) << "after kill " << kill;
    ASSERT_LE(filesIn(scratch.path), 2u);
  }
  ASSERT_TRUE(oneResult("last").write(path));
  EXPECT_EQ(filesIn(scratch.path), 1u);
}

TEST(TuneResults, AFileOfAnotherKindStaysAsItIs) {
  cache::ScratchFolder scratch;
  const std::string path = scratch.path + "/tuned.json";
  std::ofstream(path) << "notes";
  Result<void> written = oneResult("n=1").write(path);
  ASSERT_FALSE(written);
  EXPECT_NE(written.failure().message.find("is not valid JSON"), std::string::npos) << written.failure().message;
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
  EXPECT_EQ(filesIn(scratch.path), 1u);
  EXPECT_FALSE(oneResult("n=1").write(scratch.path + "/missing/tuned.json"));
  // A config that was edited by hand is not passed over.
  std::ofstream(path)
      << R"({"tilewise_tuning": 1, "results": [{"kernel": "add", "device": "cpu", "key": "n=1", "config": "BLOCK 64"}]})";
  Result<ResultsFile> edited = ResultsFile::read(path);
  ASSERT_FALSE(edited);
  EXPECT_NE(
      edited.failure().message.find("kernel 'add': a config is a list as 'BLOCK=64, num_warps=4'; got 'BLOCK 64'"),
      std::string::npos)
      << edited.failure().message;
}

} // namespace tilewise::tune
