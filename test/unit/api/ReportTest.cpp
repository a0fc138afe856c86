// What a host learns of a failure beyond its text, and how it ends a launch.
#include "tilewise/report.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace {

constexpr const char *kText = "import triton\n"
                              "import triton.language as tl\n"
                              "@triton.jit\n"
                              "def inner(x):\n"
                              "    return x + missing\n"
                              "@triton.jit\n"
                              "def kernel(x):\n"
                              "    tl.store(x, inner(tl.load(x)))\n"
                              "@triton.jit\n"
                              "def endless(x):\n"
                              "    while tl.load(x) == 0:\n"
                              "        tl.atomic_add(x, 0)\n"
                              "@triton.jit\n"
                              "def patient(x, n):\n"
                              "    total = 0\n"
                              "    for i in range(n):\n"
                              "        total += tl.load(x) + i\n"
                              "    tl.store(x + 1, total, mask=tl.program_id(0) == 0)\n";

class Report : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(tw_source_create(kText, std::string(kText).size(), "report.py", 1, &source), TW_OK) << tw_last_error();
  }
  void TearDown() override {
    tw_set_interrupt_callback(nullptr, nullptr);
    tw_source_destroy(source);
  }
  tw_status launch(const char *name, tw_engine engine, int64_t programs, int64_t n = -1) {
    tw_kernel *kernel = nullptr;
    EXPECT_EQ(tw_kernel_create(source, name, &kernel), TW_OK) << tw_last_error();
    tw_argument arguments[] = {tw_pointer(memory, TW_INT32), tw_int(n)};
    tw_status status = tw_kernel_launch(kernel, {engine, 0}, nullptr, &programs, 1, arguments, n < 0 ? 1 : 2, nullptr);
    tw_kernel_destroy(kernel);
    return status;
  }

  tw_source *source = nullptr;
  int32_t memory[2] = {0, 0};
};

TEST_F(Report, AnErrorHasItsPlaceAndTheCallsThatLedThere) {
  ASSERT_EQ(launch("kernel", TW_ENGINE_REFERENCE, 1), TW_ERROR_KERNEL);
  ASSERT_GE(tw_last_diagnostic_count(), 2u);
  tw_diagnostic error = tw_last_diagnostic(0);
  EXPECT_EQ(error.severity, unsigned(TW_SEVERITY_ERROR));
  EXPECT_EQ(error.code, unsigned(TW_MESSAGE_UNDEFINED_NAME));
  EXPECT_NE(std::string(error.message).find("'missing' is not defined"), std::string::npos) << error.message;
  EXPECT_EQ(std::string(error.file), "report.py");
  EXPECT_EQ(std::vector<uint32_t>({error.line, error.column, error.length}), std::vector<uint32_t>({5, 16, 7}));
  ASSERT_EQ(error.notes + 1, tw_last_diagnostic_count());
  tw_diagnostic call = tw_last_diagnostic(error.notes);
  EXPECT_EQ(call.severity, unsigned(TW_SEVERITY_NOTE));
  EXPECT_EQ(call.code, unsigned(TW_MESSAGE_CALL));
  EXPECT_EQ(call.line, 8u);
  EXPECT_EQ(tw_last_diagnostic(tw_last_diagnostic_count()).message, nullptr);

  // What is about no text leaves none behind.
  tw_device device;
  EXPECT_NE(tw_device_parse("nowhere", &device), TW_OK);
  EXPECT_EQ(tw_last_diagnostic_count(), 0u);
}

TEST_F(Report, ASyntaxErrorIsToldEachTime) {
  tw_source *broken = nullptr;
  std::string text = "@triton.jit\ndef f(:\n";
  ASSERT_EQ(tw_source_create(text.data(), text.size(), "broken.py", 10, &broken), TW_OK);
  for (int round = 0; round < 2; ++round) {
    tw_kernel *kernel = nullptr;
    EXPECT_EQ(tw_kernel_create(broken, "f", &kernel), TW_ERROR_KERNEL);
    ASSERT_GE(tw_last_diagnostic_count(), 1u);
    EXPECT_EQ(tw_last_diagnostic(0).line, 11u);
  }
  tw_source_destroy(broken);
}

/// Says yes when asked for the third time.
bool thirdTime(void *user) { return ++*static_cast<int *>(user) >= 3; }

TEST_F(Report, AnEndlessLoopOfTheReferenceEngineCanBeEnded) {
  int asked = 0;
  tw_set_interrupt_callback(thirdTime, &asked);
  EXPECT_EQ(launch("endless", TW_ENGINE_REFERENCE, 1), TW_ERROR_LAUNCH);
  EXPECT_EQ(std::string(tw_last_error()), "the launch was interrupted");
  EXPECT_EQ(asked, 3);
}

TEST_F(Report, ManyProgramsCanBeEnded) {
  // Without the interrupt this would be 2^34 additions or more: minutes.
  for (tw_engine engine : {TW_ENGINE_REFERENCE, TW_ENGINE_CPU}) {
    int asked = 0;
    tw_set_interrupt_callback(thirdTime, &asked);
    EXPECT_EQ(launch("patient", engine, 1 << 20, 1 << 14), TW_ERROR_LAUNCH) << engine;
    EXPECT_EQ(std::string(tw_last_error()), "the launch was interrupted");
    EXPECT_EQ(asked, 3);
    // The next launch is not concerned.
    tw_set_interrupt_callback(nullptr, nullptr);
    EXPECT_EQ(launch("patient", engine, 1, 3), TW_OK) << tw_last_error();
    EXPECT_EQ(memory[1], 3);
  }
}

} // namespace
