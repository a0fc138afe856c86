// A picture to filter, and a PNG writer that needs no library.
#pragma once

#include "Deflate.hpp"

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

using compression::Bytes;

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

} // namespace png

/// Writes 1 plane as grey or 3 planes as colour, 8 bits each; false (and a message) if the file
/// cannot be written.
inline bool writePng(const std::string &path, const std::vector<float> &planes, int count, int height, int width) {
  png::Bytes rows;
  auto pixel = [&](int y, int x, int plane) {
    return uint8_t(std::clamp(planes[(size_t(plane) * height + y) * width + x], 0.0f, 1.0f) * 255 + 0.5f);
  };
  for (int y = 0; y < height; ++y) {
    // each pixel as its difference from the one before it: what is smooth repeats
    rows.push_back(1);
    for (int x = 0; x < width; ++x)
      for (int plane = 0; plane < count; ++plane)
        rows.push_back(uint8_t(pixel(y, x, plane) - (x > 0 ? pixel(y, x - 1, plane) : 0)));
  }
  png::Bytes header;
  png::putBig(header, uint32_t(width));
  png::putBig(header, uint32_t(height));
  for (int byte : {8, count == 1 ? 0 : 2, 0, 0, 0})
    header.push_back(uint8_t(byte));
  png::Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  png::putChunk(file, "IHDR", header);
  png::putChunk(file, "IDAT", compression::compress(rows));
  png::putChunk(file, "IEND", {});
  std::FILE *out = std::fopen(path.c_str(), "wb");
  const bool done = out && std::fwrite(file.data(), 1, file.size(), out) == file.size();
  if ((out && std::fclose(out) != 0) || !done) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return false;
  }
  return true;
}
