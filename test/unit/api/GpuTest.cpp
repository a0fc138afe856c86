// GPUs through the public C++ interface: memory, streams, threads, and mistakes that only a machine
// with a GPU can make.
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

struct Gpu : testing::Test {
  void SetUp() override {
    if (tw_device_count(TW_ENGINE_CUDA) == 0)
      GTEST_SKIP() << "this machine has no gpu";
  }

  Kernel add = Kernel::load(test::rootPath("kernels/vector_add.py"));
  static constexpr int kCount = 10007;

  static std::vector<float> numbers() {
    std::vector<float> values(kCount);
    std::iota(values.begin(), values.end(), 0.5f);
    return values;
  }
};

TEST_F(Gpu, HasANameAndATarget) {
  const Device gpu("cuda:0");
  EXPECT_FALSE(gpu.name().empty());
  EXPECT_EQ(gpu.target().rfind("cuda:", 0), 0u) << gpu.target();
  EXPECT_EQ(Device::all().back().text().rfind("cuda:", 0), 0u);
}

TEST_F(Gpu, MemoryIsZeroedAndCopied) {
  Tensor zeros(DType::Float32, {kCount}, "cuda:0");
  EXPECT_EQ(zeros.toVector<float>(), std::vector<float>(kCount));
  auto there = Tensor::from(numbers(), {}, "cuda:0");
  EXPECT_EQ(there.copy().to(Device()).toVector<float>(), numbers());
  EXPECT_TRUE(Tensor(DType::Float16, {0}, "cuda:0").toVector<float16>().empty());
}

TEST_F(Gpu, TooMuchMemoryIsTheCallersError) {
  EXPECT_THROW(Tensor(DType::Float64, {int64_t(1) << 50}, "cuda:0"), LaunchError);
}

TEST_F(Gpu, WorkInAStreamsOrder) {
  const Device gpu("cuda:0");
  Stream stream(gpu), other(gpu);
  PinnedVector<float> values(kCount, gpu), back(kCount, gpu);
  std::copy_n(numbers().begin(), kCount, values.begin());
  Event start(gpu), end(gpu);
  Tensor x(DType::Float32, {kCount}, stream), z(DType::Float32, {kCount}, stream);
  start.record(stream);
  x.upload(values, stream);
  const Graph doubled = Graph::record(stream, [&] { add[40].on(stream)(x, x, z, kCount, "BLOCK"_a = 256); });
  doubled.launch(stream);
  end.record(stream);
  other.wait(end);
  z.download(back, other);
  other.synchronize();
  EXPECT_TRUE(end.isDone());
  EXPECT_GT(end.millisecondsSince(start), 0);
  for (int i = 0; i < kCount; ++i)
    ASSERT_EQ(back[i], 2 * values[i]) << i;
}

TEST_F(Gpu, FreedMemoryOfAStreamIsUsedAgain) {
  const Device gpu("cuda:0");
  const Stream stream(gpu);
  const void *first = Tensor(DType::Float32, {kCount}, stream).data();
  const Tensor second(DType::Float32, {kCount}, stream);
  EXPECT_EQ(second.data(), first);
  stream.synchronize();
  EXPECT_EQ(second.toVector<float>(), std::vector<float>(kCount));
}

TEST_F(Gpu, LaunchesOnStreams) {
  const Device gpu("cuda:0");
  auto x = Tensor::from(numbers(), {}, gpu), z = Tensor::like(x);
  Stream stream(gpu);
  const Stream foreign(gpu, stream.get());
  add[cdiv(kCount, 256)].on(stream)(x, x, z, kCount, "BLOCK"_a = 256);
  add[cdiv(kCount, 256)].on(foreign)(z, x, z, kCount, "BLOCK"_a = 256);
  foreign.synchronize();
  auto expected = numbers();
  for (float &value : expected)
    value *= 3;
  EXPECT_EQ(z.toVector<float>(), expected);
}

TEST_F(Gpu, AnyThreadMayLaunch) {
  auto x = Tensor::from(numbers(), {}, "cuda:0"), z = Tensor::like(x);
  std::thread([&] { add[cdiv(kCount, 256)](x, x, z, kCount, "BLOCK"_a = 256); }).join();
  std::thread([&] { add[cdiv(kCount, 256)](x, z, z, kCount, "BLOCK"_a = 256); }).join();
  EXPECT_EQ(z.toVector<float>()[5], 3 * 5.5f);
}

TEST_F(Gpu, TensorsOfOneLaunchAreOnOneDevice) {
  auto x = Tensor::from(numbers()), z = Tensor::from(numbers(), {}, "cuda:0");
  try {
    add[1](x, x, z, 16, "BLOCK"_a = 16);
    FAIL() << "nothing was thrown";
  } catch (const LaunchError &error) {
    EXPECT_STREQ(error.what(), "kernel 'vector_add': argument 'z_ptr' is on cuda:0, the launch is on cpu");
  }
  EXPECT_THROW(add[1].on(Device("cuda:0"))(x, x, x, 16, "BLOCK"_a = 16), LaunchError);
}

TEST_F(Gpu, LargeGrids) {
  Tensor x(DType::Float32, {64}, "cuda:0");
  EXPECT_THROW((add[{1, 70000}](x, x, x, 16, "BLOCK"_a = 16)), LaunchError);
}

TEST_F(Gpu, CooperativeLaunchesFitAtOnceOrAreRefused) {
  auto x = Tensor::from(numbers(), {}, "cuda:0"), z = Tensor::like(x);
  Options cooperative;
  cooperative.cooperative = true;
  add[cdiv(kCount, 1024)].with(cooperative)(x, x, z, kCount, "BLOCK"_a = 1024);
  EXPECT_EQ(z.toVector<float>()[kCount - 1], 2 * (kCount - 0.5f));
  try {
    add[1 << 20].with(cooperative)(x, x, z, kCount, "BLOCK"_a = 1024);
    FAIL() << "nothing was thrown";
  } catch (const LaunchError &error) {
    EXPECT_NE(
        std::string(error.what()).find("launch kernel 'vector_add' cooperatively: not all of its 1048576 programs"),
        std::string::npos)
        << error.what();
  }
}

TEST_F(Gpu, LeavesByDlpack) {
  auto x = Tensor::from(numbers(), {}, "cuda:0");
  auto again = Tensor::fromDlpack(x.toDlpack());
  EXPECT_EQ(again.device(), Device("cuda:0"));
  EXPECT_EQ(again.data(), x.data());
}

} // namespace
