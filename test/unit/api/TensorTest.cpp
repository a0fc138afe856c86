// Tensors and devices through the public C++ interface.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilewise;

namespace {

template <typename Exception, typename Body> std::string messageOf(Body body) {
  try {
    body();
  } catch (const Exception &error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Device, ByName) {
  EXPECT_EQ(Device().text(), "cpu");
  EXPECT_EQ(Device("reference").text(), "reference");
  EXPECT_EQ(Device("cuda").text(), "cuda:0");
  EXPECT_EQ(Device("cuda:3").text(), "cuda:3");
  EXPECT_FALSE(Device("cuda:3").isHost());
  EXPECT_EQ(messageOf<LaunchError>([] { Device("gpu"); }),
            "unknown device 'gpu': expected reference, cpu, cuda or cuda:INDEX");
  EXPECT_EQ(Device("cpu").target(), "cpu");
}

TEST(Device, AllOfThisMachine) {
  const auto devices = Device::all();
  ASSERT_GE(devices.size(), 1u);
  EXPECT_EQ(devices[0], Device("reference"));
}

TEST(Device, ADeviceThatIsNotThereIsTheCallersError) {
  EXPECT_THROW(Tensor(DType::Float32, {4}, Device("cuda:63")), LaunchError);
  EXPECT_THROW(Device("cuda:63").name(), LaunchError);
}

TEST(Tensor, IsZeroedRowMajorAndAligned) {
  Tensor tensor(DType::Int32, {2, 3, 4});
  EXPECT_EQ(tensor.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(tensor.strides(), (Shape{12, 4, 1}));
  EXPECT_EQ(tensor.elements(), 24u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
  EXPECT_EQ(tensor.toVector<int>(), std::vector<int>(24));
}

TEST(Tensor, CopiesFromAndToTheHost) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  auto tensor = Tensor::from(values, {2, 3});
  EXPECT_EQ(tensor.dtype(), DType::Float64);
  auto copy = tensor.copy();
  tensor.data<double>()[0] = 9;
  EXPECT_EQ(copy.toVector<double>(), values);
  EXPECT_EQ(tensor.toVector<double>()[0], 9);
}

TEST(Tensor, ScalarsAndEmptyTensors) {
  EXPECT_EQ(Tensor(DType::Float32, {}).elements(), 1u);
  Tensor empty(DType::Float16, {3, 0});
  EXPECT_EQ(empty.elements(), 0u);
  EXPECT_TRUE(empty.toVector<float16>().empty());
  EXPECT_EQ(empty.argument().bytes, 0u);
}

TEST(Tensor, WrongUsesSayWhatIsWrong) {
  Tensor tensor(DType::Float32, {2, 2});
  EXPECT_EQ(messageOf<LaunchError>([&] { tensor.toVector<int>(); }), "a tensor of fp32 cannot be used as one of i32");
  EXPECT_EQ(messageOf<LaunchError>([&] { tensor.upload(std::vector<float>(3)); }),
            "a tensor of 16 bytes cannot be copied from or to memory of 12");
  EXPECT_EQ(messageOf<LaunchError>([] { Tensor(DType::Float32, {2, -1}); }),
            "dimension 1 of a tensor is -1, expected 0 or more");
  EXPECT_EQ(messageOf<LaunchError>([] { Tensor(DType::Float32, {int64_t(1) << 40, int64_t(1) << 40}); }),
            "a tensor's shape has too many elements");
  float memory[4] = {};
  EXPECT_EQ(messageOf<LaunchError>([&] { Tensor::view(memory, {2, 2}, {1}); }), "a view of rank 2 with 1 strides");
  EXPECT_EQ(messageOf<LaunchError>([&] { Tensor::view(static_cast<float *>(nullptr), {2}); }),
            "a view of 2 elements around a null pointer");
}

TEST(Tensor, ViewsShareMemory) {
  std::vector<uint8_t> memory = {1, 2, 3, 4, 5, 6};
  auto view = Tensor::view(memory.data() + 1, {2, 2}, {3, 1});
  EXPECT_EQ(view.data(), memory.data() + 1);
  EXPECT_EQ(view.argument().bytes, 5u);
}

// The layout of DLPack's structures, written down a second time.
struct Exported {
  void *data;
  int32_t deviceType, deviceIndex, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
  void *context;
  void (*deleter)(Exported *);
};

TEST(Dlpack, RoundTripKeepsMemoryAlive) {
  void *managed = nullptr;
  {
    auto tensor = Tensor::from(std::vector<bfloat16>{bfloat16(1.0), bfloat16(2.0), bfloat16(3.0)}, {3, 1});
    managed = tensor.toDlpack();
  }
  auto *exported = static_cast<Exported *>(managed);
  EXPECT_EQ(exported->deviceType, 1);
  EXPECT_EQ(exported->rank, 2);
  EXPECT_EQ(exported->code, 4);
  EXPECT_EQ(exported->bits, 16);
  EXPECT_EQ(exported->lanes, 1);
  EXPECT_EQ(exported->shape[0], 3);
  auto again = Tensor::fromDlpack(managed);
  EXPECT_EQ(again.dtype(), DType::BFloat16);
  EXPECT_EQ(float(again.toVector<bfloat16>()[2]), 3.0f);
}

TEST(Dlpack, ImportCallsTheDeleterOnce) {
  static int deleted = 0;
  float values[] = {0, 1, 2, 3};
  int64_t shape[] = {3};
  Exported foreign{values, 1, 0, 1, 2, 32, 1, shape, nullptr, 4, nullptr, [](Exported *) { ++deleted; }};
  {
    auto tensor = Tensor::fromDlpack(&foreign);
    EXPECT_EQ(tensor.toVector<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  foreign.bits = 128;
  EXPECT_EQ(messageOf<LaunchError>([&] { Tensor::fromDlpack(&foreign); }),
            "a DLPack tensor of type code 2 with 128 bits and 1 lanes has no counterpart");
  EXPECT_EQ(deleted, 2);
}

TEST(Api, Version) {
  EXPECT_EQ(tw_api_version(), uint32_t(TW_API_VERSION));
  EXPECT_EQ(version(), "0.1.0");
  EXPECT_EQ(tw_dtype_parse("bf16"), TW_BFLOAT16);
  EXPECT_EQ(tw_dtype_parse("float8e5"), TW_FLOAT8E5M2);
  EXPECT_EQ(tw_dtype_parse("complex"), TW_DTYPE_NONE);
}

TEST(Grid, BlockArithmetic) {
  EXPECT_EQ(cdiv(0, 8), 0);
  EXPECT_EQ(cdiv(8, 8), 1);
  EXPECT_EQ(cdiv(9, 8), 2);
  EXPECT_EQ(nextPowerOf2(1), 1);
  EXPECT_EQ(nextPowerOf2(1000), 1024);
}

TEST(Constant, StringsAreQuoted) {
  EXPECT_EQ(quoted("relu").text(), "\"relu\"");
  EXPECT_EQ(quoted("a\"b\\c\n").text(), "\"a\\\"b\\\\c\\n\"");
}

} // namespace
