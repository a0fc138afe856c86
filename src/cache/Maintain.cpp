// The folder as a whole: listing, eviction, clearing, and moving entries between machines.
#include "cache/Folder.h"
#include "support/Bytes.h"
#include "support/Try.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewise::cache {

// What is being written for longer than this is written by nobody any more.
static constexpr time_t kAbandonedAfter = 600;
static constexpr llvm::StringLiteral kArchiveMagic = "TWCACHES1";

std::vector<Folder::File> Folder::files() {
  std::vector<File> found;
  DIR *folder = ::opendir(path_.c_str());
  if (!folder)
    return found;
  while (const dirent *each = ::readdir(folder)) {
    const llvm::StringRef name = each->d_name;
    const auto [key, suffix] = name.split('.');
    if (!Key::parse(key) || (suffix != "tw" && !suffix.ends_with(".tmp")))
      continue;
    struct stat status;
    if (::fstatat(::dirfd(folder), each->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
      found.push_back({name.str(), uint64_t(status.st_size), status.st_mtim, suffix == "tw"});
  }
  ::closedir(folder);
  std::sort(found.begin(), found.end(), [](const File &a, const File &b) {
    return std::tuple(b.changed.tv_sec, b.changed.tv_nsec, a.name) <
           std::tuple(a.changed.tv_sec, a.changed.tv_nsec, b.name);
  });
  return found;
}

std::vector<Folder::Listed> Folder::list(bool withLabels) {
  std::vector<Listed> listed;
  for (const File &file : files()) {
    if (!file.isEntry)
      continue;
    Listed one{*Key::parse(llvm::StringRef(file.name).split('.').first), file.bytes, file.changed.tv_sec, "", ""};
    if (withLabels)
      if (auto bytes = llvm::MemoryBuffer::getFile(path_ + "/" + file.name))
        if (Result<Entry> entry = Entry::deserialize((*bytes)->getBuffer())) {
          one.kind = std::move(entry->kind);
          one.label = std::move(entry->label);
        }
    listed.push_back(std::move(one));
  }
  return listed;
}

void Folder::evict() {
  writtenBytes_.store(0, std::memory_order_relaxed);
  const std::vector<File> all = files();
  uint64_t bytes = 0;
  size_t count = 0;
  for (const File &file : all) {
    bytes += file.bytes;
    count += file.isEntry;
  }
  const bool isFull = bytes > maxBytes_ || count > kMaxEntries;
  const time_t now = ::time(nullptr);
  // From the least recently used on, to three quarters of the bounds, so that the next write is not
  // one too many again.
  for (const File &file : llvm::reverse(all)) {
    const bool isAbandoned = !file.isEntry && now - file.changed.tv_sec > kAbandonedAfter;
    const bool isExcess = isFull && file.isEntry && (bytes > maxBytes_ / 4 * 3 || count > kMaxEntries / 4 * 3);
    if (!isAbandoned && !isExcess)
      continue;
    ::unlink((path_ + "/" + file.name).c_str());
    bytes -= file.bytes;
    count -= file.isEntry;
  }
}

Result<size_t> Folder::clear() {
  size_t count = 0;
  for (const File &file : files()) {
    const std::string path = path_ + "/" + file.name;
    if (::unlink(path.c_str()) == 0)
      count += file.isEntry;
    else if (errno != ENOENT) // Somebody else may have removed it.
      return launchFailure("cannot remove '" + path + "': " + std::strerror(errno));
  }
  return count;
}

Result<size_t> Folder::exportTo(const std::string &file, llvm::StringRef part) {
  ByteWriter archive;
  archive.bytes = kArchiveMagic;
  size_t count = 0;
  for (const Listed &listed : list(/*withLabels=*/true)) {
    if (listed.kind.empty() || !llvm::StringRef(listed.label).contains(part))
      continue;
    if (std::optional<Entry> entry = read(listed.key)) {
      archive.string(entry->serialize());
      ++count;
    }
  }
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (!error) {
    os << archive.bytes;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return launchFailure("cannot write '" + file + "': " + error.message());
  return count;
}

Result<size_t> Folder::importFrom(const std::string &file) {
  auto read = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!read)
    return launchFailure("cannot read '" + file + "': " + read.getError().message());
  ByteReader reader{(*read)->getBuffer()};
  if (!reader.rest.consume_front(kArchiveMagic))
    return launchFailure("'" + file + "' is not an exported cache of this version");
  std::vector<Entry> entries;
  while (!reader.rest.empty()) {
    Result<Entry> entry = Entry::deserialize(reader.view());
    if (!entry)
      return launchFailure("'" + file + "' is damaged: in entry " + std::to_string(entries.size() + 1) + ", " +
                           entry.failure().message);
    entries.push_back(std::move(*entry));
  }
  for (const Entry &entry : entries)
    if (!write(entry)) {
      const std::string why = takeProblem();
      return launchFailure(!why.empty() ? why
                                        : "an entry of " + std::to_string(entry.payload.size()) +
                                              " bytes is too large for this cache; set TILEWISE_CACHE_MB to more");
    }
  return entries.size();
}

} // namespace tilewise::cache
