// The name of an entry of the disk cache: a hash over everything that the entry was made from.
//
// A key is made field by field, each with its length, so that no two different lists of fields give
// the same bytes. 160 bits of BLAKE3: two entries that differ never meet under one name.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <optional>
#include <string>

namespace tilewise::cache {

struct Key {
  std::array<uint8_t, 20> bytes{};

  /// 40 hexadecimal digits: the name of the entry's file.
  std::string str() const;
  static std::optional<Key> parse(llvm::StringRef digits);
  bool operator==(const Key &) const = default;
  auto operator<=>(const Key &) const = default;
};

class KeyBuilder {
public:
  /// `purpose` keeps keys for different things apart; who made the entry, buildId(), is in every
  /// key.
  explicit KeyBuilder(llvm::StringRef purpose);

  KeyBuilder &add(llvm::StringRef text);
  KeyBuilder &add(uint64_t number);
  KeyBuilder &add(const Key &key);
  Key finish();

private:
  llvm::BLAKE3 hash_;
};

/// What tells one build of the library from every other: the version, and the linker's hash over
/// the file that this code is in. Two builds of one version may compile differently, as any two
/// commits of a developer do.
const std::string &buildId();

} // namespace tilewise::cache
