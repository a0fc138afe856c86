// Entries on disk: found again, bounded, and never loaded when they are not what was written.
#include "cache/CacheTesting.h"

#include "llvm/ADT/StringExtras.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace tilewise::cache {

TEST(CacheKey, TellsFieldsApart) {
  EXPECT_EQ(KeyBuilder("a").add("bc").finish(), KeyBuilder("a").add("bc").finish());
  EXPECT_NE(KeyBuilder("a").add("bc").finish(), KeyBuilder("ab").add("c").finish());
  EXPECT_NE(KeyBuilder("a").add("b").add("c").finish(), KeyBuilder("a").add("bc").finish());
  const Key key = keyNumber(7);
  EXPECT_EQ(Key::parse(key.str()), key);
  EXPECT_FALSE(Key::parse("7f"));
  EXPECT_FALSE(Key::parse(std::string(40, 'x')));
}

TEST(CacheKey, KnowsTheBuild) {
  // The linker's hash of this binary, not the fallback.
  EXPECT_TRUE(llvm::StringRef(buildId()).starts_with("0."));
  EXPECT_EQ(buildId().find('/'), std::string::npos) << buildId();
  EXPECT_GT(buildId().size(), 20u);
}

TEST(CacheFolder, FindsWhatWasWritten) {
  ScratchFolder scratch;
  // A folder that is not there yet, nor the one above it.
  Folder folder(scratch.path + "/a/b", 1 << 20);
  EXPECT_FALSE(folder.read(keyNumber(1)));
  EXPECT_TRUE(folder.write(entryNumber(1)));
  std::optional<Entry> read = folder.read(keyNumber(1), "kernel");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payload, entryNumber(1).payload);
  EXPECT_EQ(read->label, "entry 1");
  EXPECT_FALSE(folder.read(keyNumber(1), "tuning"));
  EXPECT_FALSE(folder.read(keyNumber(2)));
  EXPECT_EQ(folder.takeProblem(), "");
}

TEST(CacheFolder, IsPrivate) {
  ScratchFolder scratch;
  Folder folder(scratch.path + "/new", 1 << 20);
  const mode_t before = umask(0);
  ASSERT_TRUE(folder.write(entryNumber(1)));
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(folder.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(stat((folder.path() + "/" + keyNumber(1).str() + ".tw").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(CacheFolder, DoesNotLoadWhatOthersCouldHaveWritten) {
  ScratchFolder scratch;
  const std::string file = scratch.path + "/" + keyNumber(1).str() + ".tw";
  {
    Folder folder(scratch.path, 1 << 20);
    ASSERT_TRUE(folder.write(entryNumber(1)));
    ASSERT_EQ(chmod(file.c_str(), 0620), 0);
    EXPECT_FALSE(folder.read(keyNumber(1)));
    EXPECT_NE(folder.takeProblem().find("can be written by another user"), std::string::npos);
    EXPECT_EQ(folder.takeProblem(), "") << "told once";
  }
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  EXPECT_TRUE(Folder(scratch.path, 1 << 20).read(keyNumber(1)));
  if (chown(file.c_str(), 12345, gid_t(-1)) != 0)
    GTEST_SKIP() << "only root gives files away";
  Folder folder(scratch.path, 1 << 20);
  EXPECT_FALSE(folder.read(keyNumber(1)));
  EXPECT_NE(folder.takeProblem().find("belongs to another user"), std::string::npos);
}

TEST(CacheFolder, DoesNotFollowLinksNorWaitForPipes) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 20);
  ASSERT_TRUE(folder.write(entryNumber(1)));
  const std::string one = scratch.path + "/" + keyNumber(1).str() + ".tw";
  ASSERT_EQ(symlink(one.c_str(), (scratch.path + "/" + keyNumber(2).str() + ".tw").c_str()), 0);
  ASSERT_EQ(mkfifo((scratch.path + "/" + keyNumber(3).str() + ".tw").c_str(), 0600), 0);
  EXPECT_FALSE(folder.read(keyNumber(2)));
  EXPECT_FALSE(folder.read(keyNumber(3)));
}

TEST(CacheFolder, NoticesAnyFlippedBit) {
  const Entry entry = entryNumber(3, 40);
  const std::string whole = entry.serialize();
  ASSERT_TRUE(Entry::deserialize(whole));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = char(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(Entry::deserialize(flipped)) << "bit " << bit;
  }
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(Entry::deserialize(llvm::StringRef(whole).take_front(size))) << size << " bytes";
  EXPECT_FALSE(Entry::deserialize(whole + "x"));
}

TEST(CacheFolder, ADamagedEntryIsRemovedAndToldOnce) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 1 << 20);
  const std::string path = scratch.path + "/" + keyNumber(1).str() + ".tw";
  std::ofstream(path) << "TWCACHE1 nothing of the kind";
  chmod(path.c_str(), 0600);
  EXPECT_FALSE(folder.read(keyNumber(1)));
  EXPECT_NE(folder.takeProblem().find("is damaged: its checksum does not match"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  // Another entry's bytes under this name.
  ASSERT_TRUE(folder.write(entryNumber(2)));
  std::filesystem::rename(scratch.path + "/" + keyNumber(2).str() + ".tw", path);
  EXPECT_FALSE(folder.read(keyNumber(1)));
  EXPECT_EQ(folder.takeProblem(), "");
}

/// Sets the time of use of an entry, in seconds before now.
static void setAge(const Folder &folder, const Key &key, time_t age) {
  timespec times[2] = {{time(nullptr) - age, 0}, {time(nullptr) - age, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (folder.path() + "/" + key.str() + ".tw").c_str(), times, 0), 0);
}

TEST(CacheFolder, EvictsTheLeastRecentlyUsed) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 100000);
  for (uint64_t i = 0; i < 90; ++i) {
    ASSERT_TRUE(folder.write(entryNumber(i)));
    setAge(folder, keyNumber(i), time_t(1000 - i));
  }
  ASSERT_TRUE(folder.read(keyNumber(0))) << "used just now, though written first";
  for (uint64_t i = 90; i < 120; ++i)
    ASSERT_TRUE(folder.write(entryNumber(i)));
  folder.evict();
  EXPECT_TRUE(folder.read(keyNumber(0)));
  EXPECT_FALSE(folder.read(keyNumber(1)));
  EXPECT_TRUE(folder.read(keyNumber(119)));
  uint64_t bytes = 0;
  for (const Folder::Listed &entry : folder.list(false))
    bytes += entry.bytes;
  EXPECT_LE(bytes, 100000u);
  EXPECT_GE(bytes, 60000u);
}

TEST(CacheFolder, StaysWithinItsBoundsByItself) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 100000);
  for (uint64_t i = 0; i < 1000; ++i)
    ASSERT_TRUE(folder.write(entryNumber(i)));
  uint64_t bytes = 0;
  for (const Folder::Listed &entry : folder.list(false))
    bytes += entry.bytes;
  EXPECT_LE(bytes, 110000u);
  EXPECT_FALSE(folder.write(entryNumber(1, 50000))) << "an entry that would push out half of all others";
}

TEST(CacheFolder, RemovesWhatKilledProcessesLeft) {
  ScratchFolder scratch;
  Folder folder(scratch.path, 100000);
  const std::string left = scratch.path + "/" + keyNumber(1).str() + ".77.tmp", fresh = left + ".tmp";
  std::ofstream(left) << "half";
  std::ofstream(fresh) << "half";
  timespec times[2] = {{time(nullptr) - 3600, 0}, {time(nullptr) - 3600, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, left.c_str(), times, 0), 0);
  std::ofstream(scratch.path + "/letter.txt") << "not ours";
  folder.evict();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(fresh)) << "somebody may be writing it";
  ASSERT_TRUE(folder.write(entryNumber(2)));
  const Result<size_t> cleared = folder.clear();
  ASSERT_TRUE(cleared);
  EXPECT_EQ(*cleared, 1u);
  EXPECT_FALSE(std::filesystem::exists(fresh));
  EXPECT_TRUE(std::filesystem::exists(scratch.path + "/letter.txt"));
}

TEST(CacheFolder, MovesToAnotherMachineAsOneFile) {
  ScratchFolder here, there;
  Folder from(here.path, 1 << 20), to(there.path + "/new", 1 << 20);
  for (uint64_t i = 0; i < 20; ++i)
    ASSERT_TRUE(from.write(entryNumber(i)));
  const std::string file = here.path + "/moved";
  Result<size_t> written = from.exportTo(file, "entry 1");
  ASSERT_TRUE(written);
  EXPECT_EQ(*written, 11u); // 1 and 10 to 19
  Result<size_t> added = to.importFrom(file);
  ASSERT_TRUE(added);
  EXPECT_EQ(*added, 11u);
  EXPECT_EQ(to.read(keyNumber(13))->payload, entryNumber(13).payload);
  EXPECT_FALSE(to.read(keyNumber(2)));

  // Damaged on the way: nothing is added.
  {
    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(5000);
    damaged.put('#');
  }
  Folder other(there.path + "/other", 1 << 20);
  EXPECT_FALSE(other.importFrom(file));
  EXPECT_TRUE(other.list(false).empty());
  EXPECT_FALSE(other.importFrom(here.path + "/nothing"));

  // Nor where nothing can be written, and the reason is told.
  Folder none(file + "/none", 1 << 20);
  ASSERT_TRUE(from.exportTo(file, "entry 1"));
  const Result<size_t> refused = none.importFrom(file);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.failure().message.find("cannot keep compiled kernels in"), std::string::npos);
}

} // namespace tilewise::cache
