// Bytes -> a zlib stream, small enough to read: repeated runs become references to what was written
// before, the rest goes in the fixed code of the deflate format (RFC 1951).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace compression {

using Bytes = std::vector<uint8_t>;

/// Bits from the lowest up, as the format packs them; codes go with their highest bit first.
class BitWriter {
public:
  explicit BitWriter(Bytes &out) : out_(out) {}
  void bits(uint32_t value, int count) {
    held_ |= uint64_t(value) << count_;
    for (count_ += count; count_ >= 8; count_ -= 8, held_ >>= 8)
      out_.push_back(uint8_t(held_));
  }
  void code(uint32_t value, int count) {
    for (int bit = count; bit-- > 0;)
      bits(value >> bit & 1, 1);
  }
  void finish() { bits(0, 7); }

private:
  Bytes &out_;
  uint64_t held_ = 0;
  int count_ = 0;
};

/// A symbol of the fixed code: a byte, the end (256), or a length (257 and above).
inline void putSymbol(BitWriter &to, unsigned symbol) {
  if (symbol < 144)
    to.code(0x30 + symbol, 8);
  else if (symbol < 256)
    to.code(0x190 + symbol - 144, 9);
  else if (symbol < 280)
    to.code(symbol - 256, 7);
  else
    to.code(0xc0 + symbol - 280, 8);
}

/// The number of a range that `value` is in, and what is left of it: ranges double in size after
/// every `perSize` of them, from `first` on.
struct Ranged {
  unsigned number, rest;
  int restBits;
};
inline Ranged rangeOf(unsigned value, unsigned first, int perSize) {
  unsigned number = 0, begin = first;
  int bits = 0;
  for (;; ++number) {
    bits = number < unsigned(2 * perSize) ? 0 : int(number) / perSize - 1;
    if (value < begin + (1u << bits))
      return {number, value - begin, bits};
    begin += 1u << bits;
  }
}

/// `length` bytes from `distance` bytes back. Lengths are 3 to 258, distances 1 to 32768.
inline void putMatch(BitWriter &to, unsigned length, unsigned distance) {
  if (length == 258) { // has a symbol of its own
    putSymbol(to, 285);
  } else {
    const Ranged range = rangeOf(length, 3, 4);
    putSymbol(to, 257 + range.number);
    to.bits(range.rest, range.restBits);
  }
  const Ranged range = rangeOf(distance, 1, 2);
  to.code(range.number, 5);
  to.bits(range.rest, range.restBits);
}

inline Bytes compress(const Bytes &data) {
  Bytes out{0x78, 0x01};
  BitWriter to(out);
  to.bits(1, 1); // the last block
  to.bits(1, 2); // in the fixed code
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> latest(1 << 15, kNone); // where three bytes of this hash were seen
  for (size_t at = 0; at < data.size();) {
    size_t length = 0, from = kNone;
    if (at + 3 <= data.size()) {
      const uint32_t three = data[at] | data[at + 1] << 8 | data[at + 2] << 16;
      from = std::exchange(latest[three * 2654435761u >> 17], at);
      const size_t most = std::min<size_t>(258, data.size() - at);
      if (from != kNone && at - from <= 32768)
        while (length < most && data[from + length] == data[at + length])
          ++length;
    }
    if (length >= 3)
      putMatch(to, unsigned(length), unsigned(at - from));
    else
      putSymbol(to, data[at]);
    at += length >= 3 ? length : 1;
  }
  putSymbol(to, 256);
  to.finish();
  uint32_t a = 1, b = 0;
  for (uint8_t byte : data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  for (int shift : {24, 16, 8, 0})
    out.push_back(uint8_t((b << 16 | a) >> shift));
  return out;
}

} // namespace compression
