// What the tests of the disk cache share: a folder of their own, entries to put there, and what is
// left in it.
#pragma once

#include "cache/Folder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::cache {

/// A folder that goes with the test.
class ScratchFolder {
public:
  ScratchFolder() {
    llvm::SmallString<64> made;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tilewise-cache-test", made));
    path = made.str().str();
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  std::string path;
};

inline Key keyNumber(uint64_t number) { return KeyBuilder("test").add(number).finish(); }

/// Its payload tells whether it is whole: one letter, as often as asked for.
inline Entry entryNumber(uint64_t number, size_t bytes = 1000) {
  return {keyNumber(number), "kernel", "entry " + std::to_string(number), std::string(bytes, char('a' + number % 26))};
}

/// How many files there are that are no whole entries; those with the suffix .tmp are `left`.
struct Leftovers {
  size_t entries = 0, torn = 0, left = 0;
};
inline Leftovers lookThrough(const std::string &folder) {
  Leftovers found;
  for (const auto &file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".tmp") {
      ++found.left;
      continue;
    }
    auto bytes = llvm::MemoryBuffer::getFile(file.path().string());
    Result<Entry> entry = bytes ? Entry::deserialize((*bytes)->getBuffer()) : launchFailure("unreadable");
    ++(entry && entry->key.str() == file.path().stem() ? found.entries : found.torn);
  }
  return found;
}

/// Runs `body` in a child and gives its exit code, or -1 when it was killed.
template <typename Body> int inChild(const Body &body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace tilewise::cache
