// Streams of engines on the host: everything is done at once, so that programs for a GPU run there,
// too.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;

namespace {

class HostStream : public testing::TestWithParam<const char *> {
protected:
  const Device device{GetParam()};
  Stream stream{device};
};

TEST_P(HostStream, CopiesAreDoneAtOnce) {
  PinnedVector<float> values(3, device);
  EXPECT_EQ(values[2], 0);
  values[2] = 7;
  Tensor x(DType::Float32, {3}, stream);
  EXPECT_EQ(x.toVector<float>(), std::vector<float>(3, 0.0f));
  x.upload(values, stream);
  std::vector<float> back(3);
  x.download(back, stream);
  EXPECT_EQ(back, std::vector<float>({0, 0, 7}));
  EXPECT_TRUE(stream.isDone());
}

TEST_P(HostStream, EventsNoteTheTime) {
  Event start(device), end(device);
  try {
    (void)end.millisecondsSince(start);
    FAIL() << "events that were not recorded have no time between them";
  } catch (const LaunchError &error) {
    EXPECT_NE(std::string(error.what()).find("has not been recorded"), std::string::npos) << error.what();
  }
  start.record(stream);
  end.record(stream);
  stream.wait(end);
  EXPECT_TRUE(end.isDone());
  EXPECT_GE(end.millisecondsSince(start), 0);
}

TEST_P(HostStream, GraphsNeedAGpu) {
  try {
    Graph::record(stream, [] {});
    FAIL() << "there is nothing to record";
  } catch (const LaunchError &error) {
    EXPECT_NE(std::string(error.what()).find("graphs need a GPU"), std::string::npos) << error.what();
  }
}

TEST_P(HostStream, CopiesOfStridedTensorsAreRefused) {
  std::vector<float> memory(8);
  Tensor columns = Tensor::view(memory.data(), {4}, {2}, device);
  try {
    columns.upload(std::vector<float>(4), stream);
    FAIL() << "elements would be gathered on the host";
  } catch (const LaunchError &error) {
    EXPECT_NE(std::string(error.what()).find("not in row-major order"), std::string::npos) << error.what();
  }
  Tensor plain(DType::Float32, {4}, stream);
  EXPECT_THROW(plain.upload(std::vector<float>(3), stream), LaunchError);
  EXPECT_THROW(plain.upload(std::vector<double>(4), stream), LaunchError);
}

TEST_P(HostStream, ATensorKeepsItsStream) {
  Tensor x = Tensor(DType::Int32, {2}, Stream(device));
  EXPECT_EQ(x.toVector<int>(), std::vector<int>(2));
}

INSTANTIATE_TEST_SUITE_P(Engines, HostStream, testing::Values("cpu", "reference"));

} // namespace
