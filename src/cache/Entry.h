// One file of the disk cache, as bytes.
//
//     "TWCACHE1" | hash of all that follows | key | kind | label | payload
//
// The key is inside, too: a file under another entry's name is noticed. A flipped bit anywhere
// changes the hash.
#pragma once

#include "cache/Key.h"
#include "support/Error.h"

#include <string>

namespace tilewise::cache {

struct Entry {
  Key key;
  std::string kind;  ///< What the payload is: "kernel", "lookups", "gpu code", "tuning".
  std::string label; ///< For people: "add(*fp32:16, i32) for cpu".
  std::string payload;

  std::string serialize() const;
  /// The failure says what is wrong with the bytes.
  static Result<Entry> deserialize(llvm::StringRef bytes);
};

} // namespace tilewise::cache
