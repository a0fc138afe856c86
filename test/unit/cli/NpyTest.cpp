// .npy files: what is written reads back, and what is no such file is refused.
#include "cli/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tilewise;
using namespace tilewise::cli;

namespace {

class NpyTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tilewise", "npy", path)); }
  void TearDown() override { llvm::sys::fs::remove(path); }
  void write(llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
  }
  llvm::SmallString<128> path;
};

} // namespace

TEST_F(NpyTest, EveryTypeAndRankRoundTrips) {
  for (const char *type : {"i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32", "fp64"})
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {7}, {3, 5}, {2, 0, 4}}) {
      NpyArray array{type, shape, {}};
      array.bytes.resize(size_t(array.elements()) * npyElementSize(type));
      for (size_t i = 0; i < array.bytes.size(); ++i)
        array.bytes[i] = char(i * 7 + 1);
      ASSERT_TRUE(bool(writeNpy(path, array)));
      Result<NpyArray> read = readNpy(path);
      ASSERT_TRUE(bool(read)) << read.failure().message;
      EXPECT_EQ(read->type, type);
      EXPECT_EQ(read->shape, shape);
      EXPECT_EQ(read->bytes, array.bytes);
    }
}

TEST_F(NpyTest, HeaderIsWhatNumpyWrites) {
  ASSERT_TRUE(bool(writeNpy(path, {"fp32", {2, 3}, std::vector<char>(24)})));
  uint64_t size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(path, size));
  EXPECT_EQ((size - 24) % 64, 0u) << "the data starts at a multiple of 64 bytes";
}

TEST_F(NpyTest, OtherFilesAreRefused) {
  write("hello");
  EXPECT_NE(readNpy(path).failure().message.find("no .npy file"), std::string::npos);
  write(std::string("\x93NUMPY\1\0\xff\xff{}", 12));
  EXPECT_NE(readNpy(path).failure().message.find("cut off"), std::string::npos);
  std::string header = "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }";
  write(std::string("\x93NUMPY\1\0", 8) + char(header.size()) + '\0' + header + std::string(8, '\0'));
  EXPECT_NE(readNpy(path).failure().message.find("'<c8' is not supported"), std::string::npos);
  EXPECT_FALSE(bool(readNpy("no-such-file.npy")));
}
