// Plain data <-> bytes: numbers little-endian in 8 bytes, strings with their length before them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"

#include <string>

namespace tilewise {

struct ByteWriter {
  std::string bytes;
  void number(uint64_t value) {
    char buffer[8];
    llvm::support::endian::write64le(buffer, value);
    bytes.append(buffer, 8);
  }
  void string(llvm::StringRef text) {
    number(text.size());
    bytes += text;
  }
};

/// Reads past the end give zeros and set `broken`.
struct ByteReader {
  llvm::StringRef rest;
  bool broken = false;
  uint64_t number() {
    if (rest.size() < 8) {
      broken = true;
      return 0;
    }
    uint64_t value = llvm::support::endian::read64le(rest.data());
    rest = rest.drop_front(8);
    return value;
  }
  /// Good as long as the bytes are.
  llvm::StringRef view() {
    uint64_t size = number();
    if (size > rest.size()) {
      broken = true;
      return {};
    }
    llvm::StringRef text = rest.take_front(size);
    rest = rest.drop_front(size);
    return text;
  }
  std::string string() { return view().str(); }
};

} // namespace tilewise
