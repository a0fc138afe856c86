// Kernels through the public C++ interface: loading, binding, compiling once per signature, and
// what a wrong call is told.
#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

using namespace tilewise;
using namespace tilewise::literals;
using tilewise::test::rootPath;

namespace {

template <typename Exception, typename Body> std::string messageOf(Body body) {
  try {
    body();
  } catch (const Exception &error) {
    return error.what();
  } catch (const std::exception &error) {
    return std::string("another exception: ") + error.what();
  }
  return "nothing was thrown";
}

const char *const kFill = R"(
import triton
import triton.language as tl

@triton.jit
def fill(out_ptr, value, n, BLOCK: tl.constexpr = 16):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, value, mask=at < n)
)";

struct KernelApi : testing::Test {
  Kernel fill = Kernel::fromSource(kFill);
  Tensor out{DType::Float32, {40}};
};

TEST_F(KernelApi, KnowsItsParameters) {
  EXPECT_EQ(fill.name(), "fill");
  const auto parameters = fill.parameters();
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[3].name, "BLOCK");
  EXPECT_TRUE(parameters[3].isConstexpr);
  EXPECT_EQ(parameters[3].defaultValue, "16");
  EXPECT_FALSE(parameters[1].isConstexpr);
}

TEST_F(KernelApi, FillsAndRespectsTheMask) {
  for (const char *device : {"reference", "cpu"}) {
    Tensor there(DType::Float32, {40}, Device(device));
    fill[cdiv(33, 16)](there, 2.5f, 33);
    std::vector<float> expected(40);
    std::fill_n(expected.begin(), 33, 2.5f);
    EXPECT_EQ(there.toVector<float>(), expected) << device;
  }
}

TEST_F(KernelApi, CompilesOncePerSignature) {
  fill[1](out, 1.5f, 5);
  EXPECT_EQ(fill.compileCount(), 1u);
  fill[2](out, 2.5f, 7); // other values of the same kind
  EXPECT_EQ(fill.compileCount(), 1u);
  fill[1](out, 1.5f, 32); // 16 divides n
  EXPECT_EQ(fill.compileCount(), 2u);
  fill[1](out, 1.5f, 1); // n is 1
  EXPECT_EQ(fill.compileCount(), 3u);
  fill[1](out, 1.5f, 5, "BLOCK"_a = 32); // another constant
  EXPECT_EQ(fill.compileCount(), 4u);
  fill[1].on(Device("reference"))(out, 1.5f, 5); // another engine
  EXPECT_EQ(fill.compileCount(), 5u);
  fill[1].with({8, 3, true})(out, 1.5f, 5); // other options
  EXPECT_EQ(fill.compileCount(), 6u);
  fill[1](out, 1.5f, 5);
  EXPECT_EQ(fill.compileCount(), 6u);
}

TEST_F(KernelApi, SpecialisationCanBeTurnedOff) {
  ASSERT_EQ(tw_kernel_specialize(fill.get(), 2, TW_SPECIALIZE_NOTHING), TW_OK);
  for (int n : {1, 5, 16, 32})
    fill[2](out, 1.5f, n);
  EXPECT_EQ(fill.compileCount(), 1u);
}

TEST_F(KernelApi, ThreadsThatWantTheSameSignatureCompileItOnce) {
  std::vector<std::thread> threads;
  std::vector<Tensor> outs;
  for (int i = 0; i < 4; ++i)
    outs.emplace_back(DType::Float32, Shape{40});
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] { fill[3](outs[i], float(i), 37); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fill.compileCount(), 1u);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(outs[i].toVector<float>()[36], float(i));
}

TEST_F(KernelApi, ThreadsMayCompileDifferentSignaturesAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int block : {16, 32, 64}) {
        Tensor mine(DType::Float32, {100});
        fill[cdiv(99, block)](mine, float(i + block), 99, "BLOCK"_a = block << i);
        wrong += mine.toVector<float>()[0] != float(i + block);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(fill.compileCount(), 6u); // blocks of 16 to 512
}

TEST_F(KernelApi, KernelsComeAndGo) {
  for (int i = 0; i < 20; ++i) {
    auto kernel = Kernel::fromSource(kFill);
    kernel[1](out, float(i), 16);
    EXPECT_EQ(out.toVector<float>()[15], float(i));
  }
}

TEST_F(KernelApi, AnEmptyGridDoesNothing) {
  fill[0](out, 1.5f, 5);
  fill[{2, 0, 3}](out, 1.5f, 5);
  EXPECT_EQ(out.toVector<float>(), std::vector<float>(40));
  EXPECT_EQ(fill.compileCount(), 0u);
}

TEST_F(KernelApi, WrongGrids) {
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[-1](out, 1.5f, 5); }),
            "kernel 'fill': grid dimension 0 is -1, expected 0 or more");
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[{65536, 65536}](out, 1.5f, 5); }),
            "kernel 'fill': the grid has more than 2147483647 programs");
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[{1, 1, 1, 1}](out, 1.5f, 5); }),
            "kernel 'fill': a grid has 1 to 3 dimensions, got 4");
}

TEST_F(KernelApi, WrongArguments) {
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[1](out, 1.5f); }), "kernel 'fill' takes 4 arguments, got 2: missing 'n'");
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[1](out, 1.5f, 5, "BLOK"_a = 3); }),
            "kernel 'fill' has no parameter 'BLOK'; did you mean 'BLOCK'?");
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[1](out, 1.5f, 5, "num_wraps"_a = 3); }),
            "kernel 'fill' has no parameter 'num_wraps'; it has out_ptr, value, n, BLOCK");
  EXPECT_EQ(messageOf<LaunchError>([&] { fill[1](static_cast<float *>(nullptr), 1.5f, 5); }),
            "kernel 'fill': argument 'out_ptr' is a null pointer");
}

TEST_F(KernelApi, SignaturesAndStages) {
  EXPECT_EQ(fill.signature(out, 1.5f, 32), "*fp32:16, fp32, i32:16, 16");
  EXPECT_NE(fill.emit("tile", "*fp32:16, fp32, i32, 16").find("tile.store"), std::string::npos);
  EXPECT_NE(fill.emit("llvm", "*fp32:16, fp32, i32, 16", "cpu").find("define"), std::string::npos);
  EXPECT_EQ(messageOf<LaunchError>([&] { fill.emit("tile", "*fp32, fp32, i32, 16", "tpu"); }),
            "unknown target 'tpu': expected reference, cpu, cpu:NAME or cuda:CAPABILITY");
}

TEST_F(KernelApi, ArtifactsAreTheSameEveryTime) {
  auto bytes = [&] {
    void *data = nullptr;
    size_t length = 0;
    EXPECT_EQ(tw_kernel_artifact(fill.get(), "*fp32:16, fp32, i32, 16", "cpu", nullptr, &data, &length), TW_OK)
        << tw_last_error();
    std::string copy(static_cast<char *>(data), length);
    tw_free(data);
    return copy;
  };
  const std::string first = bytes();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, bytes());
}

const char *const kTotal = R"(
import triton
import triton.language as tl

@triton.jit
def total(out_ptr, x_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, BLOCK)), 0))
)";

tw_resources resourcesOf(const Kernel &kernel, const char *signature, const char *target, bool load,
                         tw_device device = tw_cpu()) {
  tw_options options{};
  options.struct_size = sizeof(options);
  options.num_warps = 8;
  tw_resources taken{};
  taken.struct_size = sizeof(taken);
  EXPECT_EQ(tw_kernel_resources(kernel.get(), signature, target, &options, load, device, &taken), TW_OK)
      << tw_last_error();
  return taken;
}

TEST_F(KernelApi, ResourcesOfCodeForAGpuAreKnownWithoutOne) {
  const Kernel total = Kernel::fromSource(kTotal);
  // Eight warps meet in shared memory, one number each.
  const tw_resources summing = resourcesOf(total, "*fp32:16, *fp32:16, 1024", "cuda:90", false);
  EXPECT_EQ(summing.threads, 256u);
  EXPECT_GE(summing.shared_bytes, 32u);
  const tw_resources filling = resourcesOf(fill, "*fp32:16, fp32, i32, 16", "cuda:90", false);
  EXPECT_EQ(filling.threads, 256u);
  EXPECT_EQ(filling.shared_bytes, 0u);
  for (bool load : {false, true}) {
    const tw_resources host = resourcesOf(total, "*fp32:16, *fp32:16, 1024", "cpu", load);
    EXPECT_EQ(host.threads + host.shared_bytes + host.registers + host.spilled_bytes + host.max_threads, 0u);
  }
}

TEST(KernelGpu, ResourcesOfLoadedCode) {
  if (tw_device_count(TW_ENGINE_CUDA) == 0)
    GTEST_SKIP() << "no NVIDIA GPU";
  const Kernel total = Kernel::fromSource(kTotal);
  tw_device device;
  ASSERT_EQ(tw_device_parse("cuda:0", &device), TW_OK) << tw_last_error();
  const tw_resources small = resourcesOf(total, "*fp32:16, *fp32:16, 256", "cuda:80", true, device),
                     large = resourcesOf(total, "*fp32:16, *fp32:16, 65536", "cuda:80", true, device);
  // 256 elements for a thread to hold at once: all the registers a thread of 256 can have, and
  // memory beside them, or more registers at least.
  EXPECT_GT(small.registers, 0u);
  EXPECT_LE(large.registers, 255u);
  EXPECT_GE(large.registers + large.spilled_bytes, small.registers);
  EXPECT_GE(small.max_threads, small.threads);
  EXPECT_GE(small.shared_bytes, 32u);
}

TEST(KernelLoading, ErrorsOfFilesAndNames) {
  EXPECT_EQ(messageOf<LaunchError>([] { Kernel::load("/no/such/file.py"); }),
            "cannot read kernel file '/no/such/file.py': No such file or directory");
  EXPECT_EQ(messageOf<LaunchError>([] { Kernel::load("no-such-file.py"); }),
            "cannot read kernel file 'no-such-file.py': No such file or directory; the working directory is '" +
                std::filesystem::current_path().string() + "'");
  EXPECT_EQ(messageOf<LaunchError>([] { Kernel::fromSource(kFill, "fil", "fill.py"); }),
            "'fill.py' has no kernel 'fil'; did you mean 'fill'?");
  EXPECT_EQ(messageOf<LaunchError>([] { Kernel::fromSource("x = 1\n", "", "empty.py"); }),
            "'empty.py' has no kernel: a kernel is a function decorated with @triton.jit");
  EXPECT_EQ(Kernel::load(rootPath("kernels/softmax.py")).name(), "softmax");
}

TEST(KernelLoading, KernelsOutliveTheirSource) {
  tw_source *source = nullptr;
  tw_kernel *kernel = nullptr;
  ASSERT_EQ(tw_source_create(kFill, std::string_view(kFill).size(), "fill.py", 1, &source), TW_OK);
  size_t count = 0;
  ASSERT_EQ(tw_source_kernel_count(source, &count), TW_OK);
  EXPECT_EQ(count, 1u);
  EXPECT_STREQ(tw_source_kernel_name(source, 0), "fill");
  EXPECT_EQ(tw_source_kernel_name(source, 1), nullptr);
  ASSERT_EQ(tw_kernel_create(source, nullptr, &kernel), TW_OK);
  tw_source_destroy(source);
  float out[4] = {};
  const int64_t grid[] = {1};
  const tw_argument arguments[] = {tw_pointer(out, TW_FLOAT32), tw_float(3), tw_int(3)};
  EXPECT_EQ(tw_kernel_launch(kernel, tw_cpu(), nullptr, grid, 1, arguments, 3, nullptr), TW_OK) << tw_last_error();
  EXPECT_EQ(out[2], 3);
  EXPECT_EQ(out[3], 0);
  tw_kernel_destroy(kernel);
}

TEST(KernelErrors, AKernelsMistakeIsShownAtItsLine) {
  auto broken = Kernel::fromSource(R"(import triton
import triton.language as tl

@triton.jit
def broken(out_ptr):
    tl.store(out_ptr, missing_name)
)",
                                   "broken", "broken.py");
  Tensor out(DType::Float32, {1});
  const std::string message = messageOf<KernelError>([&] { broken[1](out); });
  EXPECT_NE(message.find("broken.py:6:"), std::string::npos) << message;
  EXPECT_NE(message.find("missing_name"), std::string::npos) << message;
  EXPECT_NE(message.back(), '\n');
  EXPECT_THROW(Kernel::fromSource("def f(:\n", "f", "syntax.py"), KernelError);
}

} // namespace
