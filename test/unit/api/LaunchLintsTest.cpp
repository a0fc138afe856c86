// Warnings that depend on the launch: its grid, and what it does where a mask was forgotten.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

struct LaunchLints : testing::Test {
  std::string heard;
  Tensor out{DType::Float32, {1024}};

  void SetUp() override {
    setLogCallback([this](LogLevel, std::string_view message) { heard += message; });
  }
  void TearDown() override {
    setLogCallback({});
    setWarnings("");
  }
  static Kernel kernelOf(const std::string &body) {
    return Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                              "def k(p, n, B: tl.constexpr):\n" +
                                  body,
                              "k", "lint.py");
  }
  /// What a launch says, then a second one.
  std::string said(const std::string &body, Grid grid) {
    heard.clear();
    Kernel kernel = kernelOf(body);
    kernel[grid](out, 5, 16);
    kernel[grid](out, 5, 16);
    return heard;
  }
};

const char *const kAsks1 = "    at = tl.program_id(1) * B + tl.program_id(0) * 0 + tl.arange(0, B)\n"
                           "    tl.store(p + at, 1.0, mask=at < n)\n";
const char *const kAsksNone = "    tl.store(p + tl.arange(0, B), 1.0)\n";
const char *const kOverlaps = "    at = tl.program_id(0) + tl.arange(0, B)\n"
                              "    tl.store(p + at, at * 1.0, mask=at < n)\n";

TEST_F(LaunchLints, ADimensionThatTheGridDoesNotHave) {
  EXPECT_EQ(said(kAsks1, 2), "lint.py:5:10: warning: tl.program_id(1) is always 0: the launch's grid has no dimension "
                             "1 [-Wlaunch-grid]\n"
                             "    5 |     at = tl.program_id(1) * B + tl.program_id(0) * 0 + tl.arange(0, B)\n"
                             "      |          ^~~~~~~~~~~~~~~~\n"
                             "note: give the grid 2 dimensions: lint.py:5:10\n");
  EXPECT_EQ(said(kAsks1, {2, 1}), "");
}

TEST_F(LaunchLints, ProgramsThatAllDoTheSame) {
  EXPECT_EQ(said(kAsksNone, 1), "");
  EXPECT_NE(said(kAsksNone, 3)
                .find("lint.py:4:5: warning: the launch's grid has several programs along dimension 0, "
                      "and all of them do the same: the kernel never asks for tl.program_id(0)"),
            std::string::npos)
      << heard;
  EXPECT_NE(said(kOverlaps, {1, 4}).find("dimension 1"), std::string::npos) << heard;
  // A counter in memory shares the work out as well.
  EXPECT_EQ(said("    tl.atomic_add(p, 1.0)\n", 3), "");
  EXPECT_EQ(said("    tl.device_assert(n == 5)\n", 3), "");
}

TEST_F(LaunchLints, BlocksThatOverlap) {
  EXPECT_EQ(said(kOverlaps, 1), "");
  const std::string told = said(kOverlaps, 3);
  EXPECT_NE(told.find("lint.py:6:5: warning: neighbouring programs store to the same addresses: a block has 16 "
                      "elements, but the next program begins 1 element further [-Woverlapping-store]"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("note: write tl.program_id(0) * 16 + tl.arange(0, 16)"), std::string::npos) << told;
  // The pointer may have moved before, and the mask may leave less than the block.
  for (const char *wrong : {"    tl.store(p + tl.program_id(0) + tl.arange(0, B), 1.0)\n",
                            "    q = p + tl.program_id(0) * 2\n    at = tl.arange(0, B)\n"
                            "    tl.store(q + 1 + at, 1.0, mask=at < 3)\n",
                            "    at = tl.program_id(0) * 3 + tl.arange(0, B)\n"
                            "    tl.store(p + at, 1.0, mask=(at >= 0) & (at < n))\n"})
    EXPECT_NE(said(wrong, 3).find("neighbouring programs store to the same addresses"), std::string::npos)
        << wrong << heard;
  setWarnings("no-unmasked-access");
  for (const char *fine :
       {"    at = tl.program_id(0) * B + tl.arange(0, B)\n    tl.store(p + at, 1.0)\n",
        "    at = tl.program_id(0) + tl.arange(0, B) * 3\n    tl.store(p + at, 1.0)\n",
        "    tl.store(p + tl.program_id(0), 1.0)\n",
        // The mask leaves as much as the programs are apart, or how much is not known.
        "    at = tl.arange(0, B)\n    tl.store(p + tl.program_id(0) * 5 + at, 1.0, mask=at < 5)\n",
        "    at = tl.arange(0, B)\n    tl.store(p + tl.program_id(0) * 5 + at, 1.0, mask=at < n)\n",
        "    first = tl.program_id(0) * 8\n    at = first + tl.arange(0, B)\n"
        "    tl.store(p + at, 1.0, mask=at < first + 8)\n",
        "    at = tl.arange(0, B)\n"
        "    tl.store(p + tl.program_id(0) * 8 + at, 1.0, mask=(at >= 4) & (at < 12))\n",
        // One of the programs may be the only one that stores.
        "    at = tl.arange(0, B)\n"
        "    tl.store(p + tl.program_id(0) + at, 1.0, mask=(at < 8) & (tl.program_id(0) == 0))\n",
        "    if tl.program_id(0) == 0:\n        tl.store(p + tl.program_id(0) + tl.arange(0, B), 1.0)\n"})
    EXPECT_EQ(said(fine, 3), "") << fine;
}

TEST_F(LaunchLints, AreSwitchedOffOrMadeErrors) {
  setWarnings("no-launch-grid,no-overlapping-store");
  EXPECT_EQ(said(kAsksNone, 3), "");
  EXPECT_EQ(said(kOverlaps, 3), "");
  setWarnings("error");
  Kernel kernel = kernelOf(kAsksNone);
  kernel[1](out, 5, 16);
  EXPECT_THROW(kernel[3](out, 5, 16), LaunchError);
  EXPECT_THROW(kernel[3](out, 5, 16), LaunchError);
}

const char *const kForgetful = "    at = tl.program_id(0) * B + tl.arange(0, B)\n"
                               "    x = tl.load(p + at, mask=at < n)\n"
                               "    tl.store(p + at, x)\n";

TEST_F(LaunchLints, AForgottenMaskIsCheckedIfAsked) {
  Kernel kernel = kernelOf(kForgetful);
  std::vector<float> memory(64);
  auto five = Tensor::view(memory.data(), {5});
  kernel[1](five, 5, 16);
  EXPECT_NE(heard.find("TILEWISE_CHECKED=1"), std::string::npos) << heard;
  heard.clear();
  try {
    kernel[1].with(Options().withCheckedIfWarned())(five, 5, 16);
    FAIL() << "nothing was thrown";
  } catch (const LaunchError &error) {
    EXPECT_NE(std::string(error.what()).find("lint.py:7:5"), std::string::npos) << error.what();
  }
  EXPECT_NE(heard.find("-Wunmasked-access"), std::string::npos);
  EXPECT_EQ(heard.find("-Wunmasked-access"), heard.rfind("-Wunmasked-access")) << "told once";
  // Kernels that are not warned of run as they would: nothing is checked.
  Kernel trusting = kernelOf("    tl.store(p + tl.program_id(0) * B + tl.arange(0, B), n)\n");
  trusting[1].with(Options().withCheckedIfWarned())(five, 5, 16);
}

TEST(WarningsWithoutCallback, GoToStandardError) {
  setLogCallback({});
  testing::internal::CaptureStderr();
  Tensor out(DType::Float32, {1024});
  LaunchLints::kernelOf(kForgetful)[1](out, 5, 16);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(printed.starts_with("lint.py:7:5: warning: this store has no mask")) << printed;
  EXPECT_TRUE(printed.ends_with("lint.py:6:9\n")) << printed;
  // Compiled for another signature it has the same to say.
  testing::internal::CaptureStderr();
  LaunchLints::kernelOf(kForgetful)[1](out, 6, 32);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

} // namespace
