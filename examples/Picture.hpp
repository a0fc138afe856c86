// A picture to filter, and a PNG writer that needs no library: pixels are stored, not compressed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

/// Three planes of height x width in [0, 1]: a sun over coloured hills.
inline std::vector<float> drawPicture(int height, int width) {
  std::vector<float> planes(size_t(3) * height * width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float u = float(x) / width, v = float(y) / height;
      std::array<float, 3> colour{0.35f + 0.5f * v, 0.55f + 0.3f * v, 0.95f - 0.3f * v};
      if (std::hypot((u - 0.72f) * width / height, v - 0.26f) < 0.11f)
        colour = {1.0f, 0.85f, 0.25f};
      for (int hill = 0; hill < 3; ++hill)
        if (v > 0.5f + 0.14f * hill + 0.07f * std::sin((7.0f - 2.0f * hill) * u + 1.7f * hill))
          colour = {0.30f - 0.08f * hill, 0.62f - 0.16f * hill, 0.20f + 0.04f * hill};
      for (int plane = 0; plane < 3; ++plane)
        planes[(size_t(plane) * height + y) * width + x] = colour[plane];
    }
  return planes;
}

namespace png {

using Bytes = std::vector<uint8_t>;

inline void putBig(Bytes &to, uint32_t value) {
  for (int shift : {24, 16, 8, 0})
    to.push_back(uint8_t(value >> shift));
}

/// The CRC of the PNG standard, bit by bit: the writer is for pictures of a demo.
inline uint32_t crc(const uint8_t *data, size_t size) {
  uint32_t value = 0xffffffff;
  for (size_t i = 0; i < size; ++i) {
    value ^= data[i];
    for (int bit = 0; bit < 8; ++bit)
      value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
  }
  return ~value;
}

inline void putChunk(Bytes &to, const char *name, const Bytes &data) {
  putBig(to, uint32_t(data.size()));
  const size_t start = to.size();
  to.insert(to.end(), name, name + 4);
  to.insert(to.end(), data.begin(), data.end());
  putBig(to, crc(&to[start], to.size() - start));
}

/// A zlib stream of stored blocks of at most 65535 bytes.
inline Bytes store(const Bytes &data) {
  Bytes out{0x78, 0x01};
  uint32_t a = 1, b = 0;
  for (size_t at = 0; at < data.size();) {
    const size_t size = std::min<size_t>(65535, data.size() - at);
    out.push_back(at + size == data.size());
    for (unsigned word : {unsigned(size), unsigned(~size)}) {
      out.push_back(uint8_t(word));
      out.push_back(uint8_t(word >> 8));
    }
    for (size_t end = at + size; at < end; ++at) {
      out.push_back(data[at]);
      a = (a + data[at]) % 65521;
      b = (b + a) % 65521;
    }
  }
  putBig(out, b << 16 | a);
  return out;
}

} // namespace png

/// Writes 1 plane as grey or 3 planes as colour, 8 bits each; false (and a message) if the file
/// cannot be written.
inline bool writePng(const std::string &path, const std::vector<float> &planes, int count, int height, int width) {
  png::Bytes rows;
  for (int y = 0; y < height; ++y) {
    rows.push_back(0); // no filter
    for (int x = 0; x < width; ++x)
      for (int plane = 0; plane < count; ++plane)
        rows.push_back(uint8_t(std::clamp(planes[(size_t(plane) * height + y) * width + x], 0.0f, 1.0f) * 255 + 0.5f));
  }
  png::Bytes header;
  png::putBig(header, uint32_t(width));
  png::putBig(header, uint32_t(height));
  for (int byte : {8, count == 1 ? 0 : 2, 0, 0, 0})
    header.push_back(uint8_t(byte));
  png::Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  png::putChunk(file, "IHDR", header);
  png::putChunk(file, "IDAT", png::store(rows));
  png::putChunk(file, "IEND", {});
  std::FILE *out = std::fopen(path.c_str(), "wb");
  const bool done = out && std::fwrite(file.data(), 1, file.size(), out) == file.size();
  if ((out && std::fclose(out) != 0) || !done) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return false;
  }
  return true;
}
