// Reading and writing entries.
#include "cache/Folder.h"
#include "support/Knobs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise::cache {

// A use is noted when the last one lies this far back: most reads write nothing.
static constexpr time_t kUseGrain = 60;
// Larger files are none of ours.
static constexpr off_t kMaxEntryBytes = off_t(1) << 30;

namespace {
struct OpenFile {
  int descriptor;
  explicit OpenFile(int descriptor) : descriptor(descriptor) {}
  OpenFile(const OpenFile &) = delete;
  ~OpenFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  bool close() { return ::close(std::exchange(descriptor, -1)) == 0; }

  bool readAll(std::string &bytes) const {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return false;
      done += size_t(got);
    }
    return true;
  }
  bool writeAll(llvm::StringRef bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        return false;
      bytes = bytes.drop_front(size_t(put));
    }
    return true;
  }
};
} // namespace

Folder *Folder::ofProcess() {
  static Folder *folder = [] {
    llvm::SmallString<128> path(knobs::cacheDir());
    const uint64_t megabytes = knobs::cacheMegabytes();
    if (path.empty() || megabytes == 0)
      return static_cast<Folder *>(nullptr);
    // Wherever the process may go, it is the same one.
    llvm::sys::fs::make_absolute(path);
    return new Folder(path.str().str(), megabytes << 20);
  }();
  return folder;
}

std::optional<Entry> Folder::read(const Key &key, llvm::StringRef kind) {
  const std::string path = pathOf(key);
  // Without waiting: somebody may have put a pipe there.
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.descriptor < 0) {
    // A folder that cannot be is told of by the one who writes.
    if (errno != ENOENT && errno != ENOTDIR)
      tell("cannot read '" + path + "': " + std::strerror(errno));
    return std::nullopt;
  }
  struct stat status;
  if (::fstat(file.descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMaxEntryBytes) {
    tell("'" + path + "' is not a cache entry, and is not loaded");
    return std::nullopt;
  }
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    tell("'" + path + "' " + (status.st_uid != ::geteuid() ? "belongs to" : "can be written by") +
         " another user, and is not loaded");
    return std::nullopt;
  }
  std::string bytes(size_t(status.st_size), '\0');
  Result<Entry> entry = file.readAll(bytes) ? Entry::deserialize(bytes) : launchFailure("it cannot be read whole");
  if (entry && entry->key != key)
    entry = launchFailure("it is another one, under a wrong name");
  if (!entry) {
    ::unlink(path.c_str());
    tell("the entry '" + path + "' is damaged: " + entry.failure().message + "; it is made anew");
    return std::nullopt;
  }
  if (!kind.empty() && entry->kind != kind)
    return std::nullopt;
  if (::time(nullptr) - status.st_mtim.tv_sec > kUseGrain)
    ::futimens(file.descriptor, nullptr);
  return std::move(*entry);
}

/// False, so that a caller can return it; the process writes no more.
bool Folder::failToWrite(const std::string &what) {
  isWritable_.store(false, std::memory_order_relaxed);
  tell("cannot keep compiled kernels in '" + path_ + "': " + what +
       "; set TILEWISE_CACHE_DIR to a folder that can be written, or TILEWISE_CACHE_MB=0 to keep none");
  return false;
}

bool Folder::write(const Entry &entry) {
  if (!isWritable_.load(std::memory_order_relaxed))
    return false;
  const std::string bytes = entry.serialize();
  if (bytes.size() > maxBytes_ / 4)
    return false;
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random)
    random = uint64_t(::getpid()) << 32 ^ uint64_t(reinterpret_cast<uintptr_t>(&random));
  const std::string aside = path_ + "/" + entry.key.str() + "." + llvm::utohexstr(random) + ".tmp";
  auto open = [&] { return ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR); };
  OpenFile file(open());
  if (file.descriptor < 0 && errno == ENOENT) {
    if (auto error = llvm::sys::fs::create_directories(path_, /*IgnoreExisting=*/true, llvm::sys::fs::owner_all))
      return failToWrite(error.message());
    file.descriptor = open();
  }
  if (file.descriptor < 0)
    return failToWrite(std::strerror(errno));
  // A network's file system may tell of a full disk only when the file is closed.
  if (!file.writeAll(bytes) || !file.close() || ::rename(aside.c_str(), pathOf(entry.key).c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(aside.c_str());
    return failToWrite(why);
  }
  // Looking through the folder costs a microsecond per entry. A process does so when it has written
  // a good part of what the folder holds, and all of them together about every 64th time, which the
  // key decides.
  const uint64_t written = writtenBytes_.fetch_add(bytes.size(), std::memory_order_relaxed) + bytes.size();
  if (written > maxBytes_ / 16 || entry.key.bytes[0] % 64 == 0)
    evict();
  return true;
}

void Folder::tell(std::string problem) {
  std::lock_guard lock(mutex_);
  if (problem_.empty())
    problem_ = "disk cache: " + std::move(problem);
}

std::string Folder::takeProblem() {
  std::lock_guard lock(mutex_);
  if (problem_.empty() || hasTold_)
    return "";
  hasTold_ = true;
  return problem_;
}

} // namespace tilewise::cache
