// Fields -> a key; and the build that this code belongs to.
#include "cache/Key.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace tilewise::cache {

std::string Key::str() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

std::optional<Key> Key::parse(llvm::StringRef digits) {
  Key key;
  std::string read;
  if (digits.size() != 2 * key.bytes.size() || !llvm::tryGetFromHex(digits, read))
    return std::nullopt;
  std::copy(read.begin(), read.end(), key.bytes.begin());
  return key;
}

KeyBuilder::KeyBuilder(llvm::StringRef purpose) {
  add(buildId());
  add(purpose);
}

KeyBuilder &KeyBuilder::add(llvm::StringRef text) {
  add(uint64_t(text.size()));
  hash_.update(text);
  return *this;
}

KeyBuilder &KeyBuilder::add(uint64_t number) {
  uint8_t bytes[8];
  llvm::support::endian::write64le(bytes, number);
  hash_.update(bytes);
  return *this;
}

KeyBuilder &KeyBuilder::add(const Key &key) {
  hash_.update(key.bytes);
  return *this;
}

Key KeyBuilder::finish() {
  Key key;
  const auto full = hash_.final();
  std::copy_n(full.begin(), key.bytes.size(), key.bytes.begin());
  return key;
}

namespace {

/// The loaded file that holds an address, and the linker's hash in its notes.
struct LoadedFile {
  uintptr_t address;
  std::string hash;
};

int findNotes(dl_phdr_info *info, size_t, void *wanted) {
  auto &file = *static_cast<LoadedFile *>(wanted);
  const llvm::ArrayRef<ElfW(Phdr)> headers(info->dlpi_phdr, info->dlpi_phnum);
  const bool isThis = llvm::any_of(headers, [&](const ElfW(Phdr) & header) {
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && file.address >= begin && file.address < begin + header.p_memsz;
  });
  if (!isThis)
    return 0;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_NOTE)
      continue;
    const char *at = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
    const char *end = at + header.p_memsz;
    auto padded = [](size_t size) { return (size + 3) & ~size_t(3); };
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof(*note), *content = name + padded(note->n_namesz);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        file.hash = llvm::toHex(llvm::StringRef(content, note->n_descsz));
      at = content + padded(note->n_descsz);
    }
  }
  return 1;
}

/// Where a linker left no hash: the file's place, size and time stand for it.
std::string describeFile(const void *address) {
  Dl_info info;
  struct stat status;
  if (!dladdr(address, &info) || !info.dli_fname || stat(info.dli_fname, &status) != 0)
    return "unknown";
  return std::string(info.dli_fname) + ":" + std::to_string(status.st_size) + ":" +
         std::to_string(status.st_mtim.tv_sec) + ":" + std::to_string(status.st_mtim.tv_nsec);
}

} // namespace

const std::string &buildId() {
  static const std::string id = [] {
    const void *here = reinterpret_cast<const void *>(&buildId);
    LoadedFile file{reinterpret_cast<uintptr_t>(here), ""};
    dl_iterate_phdr(findNotes, &file);
    return TILEWISE_VERSION "-" + (file.hash.empty() ? describeFile(here) : file.hash);
  }();
  return id;
}

} // namespace tilewise::cache
