// The examples' PNG writer: zlib reads what it compressed, and pictures shrink.
#include "../../../examples/Picture.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

namespace {

compression::Bytes unpacked(const compression::Bytes &stream, size_t size) {
  compression::Bytes out(size + 1);
  uLongf length = out.size();
  EXPECT_EQ(uncompress(out.data(), &length, stream.data(), stream.size()), Z_OK);
  out.resize(length);
  return out;
}

TEST(Deflate, ZlibReadsIt) {
  std::mt19937 random(7);
  for (size_t size : {0u, 1u, 2u, 3u, 4u, 257u, 258u, 259u, 5000u, 100000u})
    for (unsigned values : {1u, 2u, 17u, 256u}) {
      compression::Bytes data(size);
      // Runs, so that every length and distance comes up.
      for (size_t i = 0; i < size; ++i)
        data[i] = i >= 400 && random() % 300 != 0 ? data[i - 1 - random() % 2] : uint8_t(random() % values);
      EXPECT_EQ(unpacked(compression::compress(data), size), data) << size << " bytes of " << values << " values";
    }
  // Matches from far away, at the edge of the window.
  for (size_t distance : {24576u, 24577u, 32767u, 32768u, 32769u}) {
    compression::Bytes data(distance + 300);
    for (size_t i = 0; i < 300; ++i)
      data[i] = data[distance + i] = uint8_t(random());
    EXPECT_EQ(unpacked(compression::compress(data), data.size()), data) << distance;
  }
}

TEST(Deflate, PicturesShrink) {
  const int height = 64, width = 96;
  const std::vector<float> planes = drawPicture(height, width);
  const std::string path = testing::TempDir() + "/picture.png";
  ASSERT_TRUE(writePng(path, planes, 3, height, width));
  std::FILE *file = std::fopen(path.c_str(), "rb");
  std::fseek(file, 0, SEEK_END);
  EXPECT_LT(std::ftell(file), long(height) * width * 3 / 3);
  std::fclose(file);
}

} // namespace
