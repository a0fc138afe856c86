// Entry <-> bytes.
#include "cache/Entry.h"
#include "support/Bytes.h"

#include "llvm/Support/xxhash.h"

namespace tilewise::cache {

// The digit is the format's version.
static constexpr llvm::StringLiteral kMagic = "TWCACHE1";

std::string Entry::serialize() const {
  ByteWriter body;
  body.bytes.assign(key.bytes.begin(), key.bytes.end());
  body.string(kind);
  body.string(label);
  body.string(payload);
  ByteWriter file;
  file.bytes = kMagic;
  file.number(llvm::xxh3_64bits(body.bytes));
  file.bytes += body.bytes;
  return std::move(file.bytes);
}

Result<Entry> Entry::deserialize(llvm::StringRef bytes) {
  if (!bytes.consume_front(kMagic))
    return launchFailure("it is not a cache entry of this format");
  ByteReader reader{bytes};
  const uint64_t hash = reader.number();
  if (reader.broken || hash != llvm::xxh3_64bits(reader.rest))
    return launchFailure("its checksum does not match");
  Entry entry;
  if (reader.rest.size() < entry.key.bytes.size())
    return launchFailure("it is too short");
  std::copy_n(reader.rest.bytes_begin(), entry.key.bytes.size(), entry.key.bytes.begin());
  reader.rest = reader.rest.drop_front(entry.key.bytes.size());
  entry.kind = reader.string();
  entry.label = reader.string();
  entry.payload = reader.string();
  if (reader.broken || !reader.rest.empty())
    return launchFailure("it ends in the wrong place");
  return entry;
}

} // namespace tilewise::cache
