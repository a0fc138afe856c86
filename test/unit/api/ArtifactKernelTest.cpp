// Kernels from artifacts through the public C++ interface: launched as any other, refused where
// they do not serve.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kScale = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, factor, n, shift: tl.constexpr, BLOCK: tl.constexpr, name: tl.constexpr = "plain"):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * factor + shift, mask=at < n)
)";

template <typename Body> std::string errorOf(const Body &body) {
  try {
    body();
  } catch (const LaunchError &error) {
    return error.what();
  }
  return "nothing was thrown";
}

struct ArtifactKernel : testing::Test {
  Kernel text = Kernel::fromSource(kScale);
  Tensor x = Tensor::from(std::vector<float>(40, 1.f));
  std::string bytes = text.artifact("*fp32:16, fp32, i32, 0.50, 64, \"plain\"");
  Kernel kernel = Kernel::fromArtifact(bytes);
};

TEST_F(ArtifactKernel, IsLaunchedAsTheTextIs) {
  EXPECT_EQ(kernel.name(), "scale");
  ASSERT_EQ(kernel.parameters().size(), 6u);
  EXPECT_EQ(kernel.parameters()[4].name, "BLOCK");
  EXPECT_TRUE(kernel.parameters()[4].isConstexpr);
  kernel[1](x, 2, 40, 0.5, 64, quoted("plain"));
  EXPECT_EQ(x.toVector<float>()[39], 2.5f);
  // Constants may be left out; 32 is a multiple of 16, which the code makes nothing of.
  kernel[1](x, 2, 32);
  EXPECT_EQ(x.toVector<float>()[31], 5.5f);
  EXPECT_EQ(x.toVector<float>()[39], 2.5f);
  kernel[1](x, 2, 1, "BLOCK"_a = 64);
  EXPECT_EQ(x.toVector<float>()[0], 11.5f);
  EXPECT_EQ(kernel.compileCount(), 1u) << "one signature serves them all";
}

TEST_F(ArtifactKernel, RefusesWhatItWasNotMadeFor) {
  EXPECT_EQ(
      errorOf([&] { kernel[1](x, 2, 40, "BLOCK"_a = 128); }),
      "kernel 'scale' comes from an artifact for cpu and (*fp32:16, fp32, i32, 0.5, 64, \"plain\"), and these "
      "arguments need (*fp32:16, fp32, i32, 0.5, 128, \"plain\"): a number after a colon divides the address or the "
      "value; compile the kernel's text for them, or give what it was compiled for");
  Tensor halves(DType::Float16, {40});
  EXPECT_NE(errorOf([&] { kernel[1](halves, 2, 40); }).find("is annotated *fp32, got a pointer to fp16"),
            std::string::npos);
  auto *second = static_cast<float *>(x.data()) + 1;
  EXPECT_NE(errorOf([&] { kernel[1](second, 2, 30); }).find("these arguments need (*fp32, "), std::string::npos);
  EXPECT_NE(errorOf([&] { kernel[1](x, 2, int64_t(1) << 40); }).find("does not fit i32"), std::string::npos);
  EXPECT_NE(errorOf([&] { kernel[1].on(Device("reference"))(x, 2, 40); }).find("and the launch is on reference"),
            std::string::npos);
  EXPECT_NE(errorOf([&] { kernel.emit("asm", "*fp32"); }).find("has no text, so there is no stage 'asm'"),
            std::string::npos);
}

TEST_F(ArtifactKernel, RefusesBytesThatAreNone) {
  EXPECT_EQ(errorOf([&] { Kernel::fromArtifact("nothing of the kind"); }), "these bytes are no Tilewise artifact");
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_EQ(errorOf([&] { Kernel::fromArtifact(damaged); }),
            "a Tilewise artifact is damaged: its checksum does not match");
  const std::string other = text.artifact("*fp32:64, fp32, i32, 0.5, 64, \"plain\"");
  EXPECT_NE(errorOf([&] { Kernel::fromArtifact(other); }).find("multiple of 64"), std::string::npos);
}

TEST_F(ArtifactKernel, ServesTheEngineItWasMadeFor) {
  Kernel reference = Kernel::fromArtifact(text.artifact("*fp32, fp32, i32, 0.5, 64, \"plain\"", "reference"));
  reference[1].on(Device("reference"))(x, 3, 40);
  EXPECT_EQ(x.toVector<float>()[5], 3.5f);
  Kernel gpu = Kernel::fromArtifact(text.artifact("*fp32:16, fp32, i32, 0.5, 64, \"plain\"", "cuda:90"));
  EXPECT_NE(errorOf([&] { gpu[1](x, 3, 40); }).find("comes from an artifact for cuda:90, and the launch is on cpu"),
            std::string::npos);
  Kernel narrow = Kernel::fromArtifact(text.artifact("*fp32, fp32, i32, 0.5, 64, \"plain\"", "cpu:x86-64"));
  narrow[1](x, 2, 40);
  EXPECT_EQ(x.toVector<float>()[5], 7.5f);
}

} // namespace
