// Events, copies, memory and graphs of streams against the fake driver, which does queued work as
// late as it may.
#include <tilewise/tilewise.hpp>

#include <cstdio>

using namespace tilewise;

static int failures = 0;
static void expect(bool isGood, const char *what) {
  std::printf("%s: %s\n", isGood ? "ok" : "FAILED", what);
  failures += !isGood;
}

int main(int, char **argv) {
  auto copy = Kernel::load(argv[1]);
  const Device gpu("cuda:0");
  Stream stream(gpu), other(gpu);

  PinnedVector<float> values(8, gpu), back(8, gpu);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  {
    Tensor x(DType::Float32, {8}, stream);
    x.upload(values, stream);
    x.download(back, stream);
    expect(back[7] == 0 && !stream.isDone(), "copies on a stream do not wait");
    Event copied(gpu);
    copied.record(stream);
    expect(!copied.isDone(), "an event behind them has not happened");
    other.wait(copied);
    expect(back[7] == 0, "nor does the host wait when a stream does");
    copied.synchronize();
    expect(back[7] == 7 && copied.isDone() && stream.isDone(), "an event is waited for");
    values[7] = -1;
    expect(x.toVector<float>() == std::vector<float>({0, 1, 2, 3, 4, 5, 6, 7}), "what was uploaded is there");
  }

  tw_held_memory held{};
  tw_device_held_memory(gpu.get(), &held);
  expect(held.used == 0 && held.reserved == 32, "memory that was freed is kept");
  {
    const Tensor again(DType::Float32, {8}, stream);
    tw_device_held_memory(gpu.get(), &held);
    expect(held.used == 32 && held.reserved == 32, "and used again");
    stream.synchronize();
    expect(again.toVector<float>() == std::vector<float>(8, 0.0f), "its zeros come in the stream's order");
  }
  tw_device_trim(gpu.get());
  tw_device_held_memory(gpu.get(), &held);
  expect(held.reserved == 0, "or given back");

  Tensor x(DType::Float32, {1024}, gpu), z(DType::Float32, {1024}, gpu);
  Event start(gpu), end(gpu);
  start.record(stream);
  for (int i = 0; i < 5; ++i)
    copy[1].on(stream)(x, z, 1024, 1024);
  end.record(stream);
  expect(end.millisecondsSince(start) > 0.0149 && end.millisecondsSince(start) < 0.0151,
         "five launches of 3 us are 15 us by the GPU's events");

  const Graph graph = Graph::record(stream, [&] {
    for (int i = 0; i < 4; ++i)
      copy[1].on(stream)(x, z, 1024, 1024);
  });
  start.record(stream);
  graph.launch(stream);
  end.record(stream);
  expect(end.millisecondsSince(start) > 0.0079 && end.millisecondsSince(start) < 0.0081,
         "a graph of four launches takes 2 us each");
  try {
    Graph::record(stream, [&] { throw std::runtime_error("mine"); });
    expect(false, "what is thrown while recording is thrown");
  } catch (const std::runtime_error &error) {
    expect(std::string(error.what()) == "mine", "what is thrown while recording is thrown");
  }
  start.record(stream);
  copy[1].on(stream)(x, z, 1024, 1024);
  end.record(stream);
  expect(end.millisecondsSince(start) > 0, "and the stream runs again");
  try {
    Graph::record(Stream(gpu, nullptr), [] {});
    expect(false, "the default stream is refused");
  } catch (const LaunchError &error) {
    expect(std::string(error.what()).find("not from the default one") != std::string::npos,
           "the default stream is refused");
  }
  return failures != 0;
}
