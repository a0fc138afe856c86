// How a print looks, for every engine: the prefix, and the widths of indices.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewise::tile {

/// The prefix as it is printed: set off by a blank, and ended by ": " before a value.
inline std::string printedPrefix(llvm::StringRef given, bool hasValues) {
  std::string prefix = given.str();
  if (hasValues && !llvm::StringRef(prefix).ends_with(" "))
    prefix += ' ';
  if (hasValues && !llvm::StringRef(prefix).ends_with(": "))
    prefix.back() = ':', prefix += ' ';
  if (prefix.size() > 2 && prefix.front() != ' ')
    prefix.insert(0, 1, ' ');
  return prefix;
}

/// Digits of an extent as upstream pads them: enough for the last index (extent 1: none).
inline int printedWidth(int64_t extent) {
  int width = 0;
  for (int64_t power = 1; power < extent; power *= 10)
    ++width;
  return width;
}

} // namespace tilewise::tile
