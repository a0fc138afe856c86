// What C has and C++ has, too: sources, preparing, specialising, resources, callbacks, reports.
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

using namespace tilewise;
using namespace tilewise::literals;

namespace {

const char *const kTwo = R"(
import triton
import triton.language as tl

WIDTH = tl.constexpr(4)

@triton.jit
def first(out_ptr, n):
    tl.store(out_ptr, n + WIDTH)

@triton.jit
def second(out_ptr, n):
    tl.device_print("n", n)
    tl.store(out_ptr, n)
)";

TEST(CppApi, SourcesHaveKernelsAndDefinitions) {
  auto source = Source::fromText(kTwo, "two.py");
  EXPECT_EQ(source.kernels(), (std::vector<std::string>{"first", "second"}));
  Tensor out(DType::Int32, {1});
  source.kernel("first")[1](out, 10);
  EXPECT_EQ(out.toVector<int>()[0], 14);
  source.define("WIDTH", constant("90")).kernel("first")[1](out, 10);
  EXPECT_EQ(out.toVector<int>()[0], 100);
  EXPECT_THROW(source.kernel("third"), LaunchError);
  EXPECT_THROW(Source::fromText("def f(:\n").kernels(), KernelError);
}

TEST(CppApi, PreparedKernelsAreNotCompiledAgain) {
  auto kernel = Source::fromText(kTwo).kernel("first");
  Tensor out(DType::Int32, {1});
  EXPECT_FALSE(kernel[1].isPrepared(out, 10));
  kernel[1].prepare(out, 10);
  EXPECT_TRUE(kernel[1].isPrepared(out, 11));
  EXPECT_EQ(kernel.compileCount(), 1u);
  kernel[1](out, 12);
  EXPECT_EQ(kernel.compileCount(), 1u);
  EXPECT_FALSE(kernel[1].with(Options().withDebug()).isPrepared(out, 12));
}

TEST(CppApi, ParametersAreSpecialisedByName) {
  auto kernel = Source::fromText(kTwo).kernel("first");
  Tensor out(DType::Int32, {1});
  EXPECT_EQ(kernel.signature(out, 16), "*i32:16, i32:16");
  EXPECT_EQ(kernel.signature(out, 1), "*i32:16, 1");
  kernel.specialize("n", TW_SPECIALIZE_NOTHING);
  EXPECT_EQ(kernel.signature(out, 16), "*i32:16, i32");
  EXPECT_EQ(kernel.signature(out, 1), "*i32:16, i32");
  kernel.annotate("n", "i64");
  EXPECT_EQ(kernel.signature(out, 1), "*i32:16, i64");
  EXPECT_THROW(kernel.specialize("m", TW_SPECIALIZE_NOTHING), LaunchError);
}

TEST(CppApi, ResourcesOfATargetThatIsNotHere) {
  auto kernel = Source::fromText(kTwo).kernel("first");
  const Kernel::Resources taken = kernel.resources("*i32:16, i32", "cuda:90", Options().withNumWarps(2));
  EXPECT_EQ(taken.threads, 64u);
  EXPECT_EQ(taken.registers, 0u);
  EXPECT_EQ(kernel.resourcesOn(Device("cpu"), "*i32:16, i32").threads, 0u);
}

TEST(CppApi, PrintsGoToTheCallback) {
  auto kernel = Source::fromText(kTwo).kernel("second");
  Tensor out(DType::Int32, {1});
  std::string heard;
  setPrintCallback([&](std::string_view text) { heard += text; });
  kernel[1](out, 42);
  setPrintCallback({});
  EXPECT_NE(heard.find("42"), std::string::npos) << heard;
}

TEST(CppApi, ALongLaunchIsInterrupted) {
  auto kernel = Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                                   "def slow(out_ptr, n):\n"
                                   "    total = 0\n"
                                   "    for i in range(n):\n"
                                   "        total += tl.load(out_ptr, volatile=True)\n"
                                   "    tl.store(out_ptr + tl.program_id(0), total)\n");
  Tensor out(DType::Int32, {4096});
  setInterruptCallback([] { return true; });
  EXPECT_THROW(kernel[4096](out, 1 << 24), LaunchError);
  setInterruptCallback([]() -> bool { throw std::logic_error("enough"); });
  EXPECT_THROW(kernel[4096](out, 1 << 24), std::logic_error);
  setInterruptCallback({});
  kernel[1](out, 1);
}

TEST(CppApi, ErrorsCarryTheirReport) {
  try {
    Kernel::fromSource("import triton\nimport triton.language as tl\n@triton.jit\n"
                       "def helper(x):\n    return tl.missing(x)\n\n@triton.jit\n"
                       "def outer(p):\n    tl.store(p, helper(1.0))\n",
                       "outer", "outer.py")[1](Tensor(DType::Float32, {1}));
    FAIL() << "nothing was thrown";
  } catch (const KernelError &error) {
    ASSERT_EQ(error.diagnostics().size(), 1u);
    const Error::Diagnostic &first = error.diagnostics()[0];
    EXPECT_EQ(first.file, "outer.py");
    EXPECT_EQ(first.line, 5u);
    EXPECT_EQ(first.severity, Error::Diagnostic::Severity::Error);
    ASSERT_FALSE(first.notes.empty());
    EXPECT_EQ(first.notes.back().code, Error::Diagnostic::Code::Call);
    EXPECT_EQ(first.notes.back().line, 9u);
  }
  try {
    Kernel::load("no-such-file.py");
  } catch (const LaunchError &error) {
    EXPECT_TRUE(error.diagnostics().empty());
  }
}

TEST(CppApi, OptionsAreSetInCpp17) {
  const Options options =
      Options().withNumWarps(8).withNumStages(2).withFpFusion(false).withDebug().withChecked().withCooperative();
  const tw_options plain = options.get();
  EXPECT_EQ(plain.num_warps, 8u);
  EXPECT_EQ(plain.num_stages, 2u);
  EXPECT_EQ(plain.no_fp_fusion, 1u);
  EXPECT_EQ(plain.debug, 1u);
  EXPECT_EQ(plain.checked, unsigned(TW_CHECKED));
  EXPECT_EQ(plain.cooperative, 1u);
  EXPECT_EQ(plain.no_overflow_checks, 0u);
  EXPECT_EQ(options.withOverflowChecks(false).get().no_overflow_checks, 1u);
  EXPECT_EQ(Options().withCheckedIfWarned().get().checked, unsigned(TW_CHECKED_IF_WARNED));
  EXPECT_EQ((Options{.numWarps = 2}.get().num_warps), 2u);
}

} // namespace
