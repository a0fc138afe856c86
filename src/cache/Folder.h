// The disk cache: a folder of entries that many processes read and write at once.
//
// Each entry is one file, named after its key. It is written under another name and then renamed,
// so that a reader finds a whole entry or none, whoever is killed when. Nothing is ever locked: two
// processes that make the same entry write the same bytes, and the second rename replaces the
// first. A file that is removed while somebody reads it stays whole for that reader.
//
//     ~/.cache/tilewise/2f9c...e1.tw            an entry; its time of change is that of its latest use
//     ~/.cache/tilewise/2f9c...e1.88d0....tmp   one that is being written, or that a killed process left
//
// The folder and its files are the user's own (0700, 0600). What belongs to another user, or could
// be written by one, is not loaded: an entry is code. Nothing that goes wrong here stops a compile:
// the entry is then not found, or not kept, and the first such problem is told once.
#pragma once

#include "cache/Entry.h"

#include <atomic>
#include <ctime>
#include <mutex>
#include <vector>

namespace tilewise::cache {

class Folder {
public:
  /// How many entries are kept at most, whatever their size: each takes an inode.
  static constexpr size_t kMaxEntries = 65536;

  Folder(std::string path, uint64_t maxBytes) : path_(std::move(path)), maxBytes_(maxBytes) {}

  /// That of the knobs TILEWISE_CACHE_DIR and TILEWISE_CACHE_MB, read once; null where these say
  /// that there is none.
  static Folder *ofProcess();

  const std::string &path() const { return path_; }
  uint64_t maxBytes() const { return maxBytes_; }

  /// The entry, which is thereby used; nothing where it is not there, not ours, damaged, or of
  /// another kind.
  std::optional<Entry> read(const Key &key, llvm::StringRef kind = "");
  /// Keeps the entry, in place of the one before it. False where that could not be.
  bool write(const Entry &entry);

  /// The first problem since the folder was opened, for the log; once, and empty otherwise.
  std::string takeProblem();

  // For people, and for `tilewise cache`.

  struct Listed {
    Key key;
    uint64_t bytes = 0;
    time_t lastUse = 0;
    std::string kind, label; ///< Empty for a damaged one.
  };
  /// All entries, the latest used first; with kind and label, which takes reading them, if asked.
  std::vector<Listed> list(bool withLabels);
  /// Removes the least recently used until what is left is well within the bounds, and what killed
  /// processes left.
  void evict();
  /// Removes all entries and what killed processes left; gives how many entries there were.
  Result<size_t> clear();

  /// All entries whose label contains `part` -> one file; gives how many there were.
  Result<size_t> exportTo(const std::string &file, llvm::StringRef part);
  /// Such a file -> entries of this folder; gives how many. A damaged file changes nothing.
  Result<size_t> importFrom(const std::string &file);

private:
  struct File {
    std::string name;
    uint64_t bytes;
    timespec changed;
    bool isEntry; ///< Else one that is being written.
  };
  std::vector<File> files();
  std::string pathOf(const Key &key) const { return path_ + "/" + key.str() + ".tw"; }
  void tell(std::string problem);
  bool failToWrite(const std::string &what);

  const std::string path_;
  const uint64_t maxBytes_;
  std::atomic<bool> isWritable_{true};    ///< Until a write fails: a process asks a full disk once.
  std::atomic<uint64_t> writtenBytes_{0}; ///< Since the folder was last looked through.
  std::mutex mutex_;                      ///< Guards what follows.
  std::string problem_;
  bool hasTold_ = false;
};

} // namespace tilewise::cache
