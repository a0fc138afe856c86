// Warnings of a launch reach the log callback, are switched for the whole process, and can be made
// errors.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;

namespace {

const char *const kForgetful = R"(
import triton
import triton.language as tl

@triton.jit
def forgetful(in_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(in_ptr + at, mask=at < n), mask=at < n)
)";

struct WarningsApi : testing::Test {
  std::string heard;
  Tensor in{DType::Float32, {16}}, out{DType::Float32, {16}};

  void SetUp() override {
    setLogCallback([this](LogLevel level, std::string_view message) {
      heard += (level == LogLevel::Warning ? "W " : "I ") + std::string(message);
    });
  }
  void TearDown() override {
    setLogCallback({});
    setWarnings("");
  }
  void launch() { Kernel::fromSource(kForgetful, "", "forgetful.py")[2](in, out, 16, 16); }
};

TEST_F(WarningsApi, ReachTheLogWithLineAndWayOut) {
  launch();
  EXPECT_EQ(heard, "W forgetful.py:9:5: warning: every program stores to the same addresses: they do not depend on the "
                   "program id [-Wsame-address-store]\n"
                   "    9 |     tl.store(out_ptr + at, tl.load(in_ptr + at, mask=at < n), mask=at < n)\n"
                   "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                   "note: the program id is read here; add tl.program_id(0) * BLOCK to the offsets, or let one "
                   "program store: forgetful.py:7:11\n");
}

TEST_F(WarningsApi, AreSwitchedOff) {
  setWarnings("no-same-address-store");
  launch();
  EXPECT_EQ(heard, "");
}

TEST_F(WarningsApi, BecomeErrorsOfTheKernel) {
  setWarnings("error");
  try {
    launch();
    FAIL() << "nothing was thrown";
  } catch (const KernelError &error) {
    EXPECT_NE(std::string(error.what()).find("forgetful.py:9:5: error: every program stores"), std::string::npos);
  }
}

TEST_F(WarningsApi, UnknownNameIsAWrongCall) { EXPECT_THROW(setWarnings("no-such"), LaunchError); }

} // namespace
