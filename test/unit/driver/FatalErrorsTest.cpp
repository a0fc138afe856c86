// LLVM's fatal errors: messages inside the guard, the end of the process outside of it, as before.
#include "driver/FatalErrors.h"
#include "target/Backend.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <thread>

namespace tilewise {
namespace {

TEST(FatalErrors, BecomeTheirMessage) {
  EXPECT_EQ(catchFatalErrors([] { llvm::report_fatal_error("no such thing"); }), "no such thing");
  bool ran = false;
  EXPECT_EQ(catchFatalErrors([&] { ran = true; }), std::nullopt);
  EXPECT_TRUE(ran);
}

TEST(FatalErrors, GoToTheInnermostGuardOfTheirThread) {
  std::optional<std::string> inner, other;
  auto outer = catchFatalErrors([&] {
    inner = catchFatalErrors([] { llvm::report_fatal_error("inner"); });
    std::thread([&] { other = catchFatalErrors([] { llvm::report_fatal_error("other"); }); }).join();
    llvm::report_fatal_error("outer");
  });
  EXPECT_EQ(inner, "inner");
  EXPECT_EQ(other, "other");
  EXPECT_EQ(outer, "outer");
}

// An instruction of another machine; and after that, a compile of what can be compiled.
TEST(FatalErrors, WhatCannotBeSelectedIsTold) {
  auto emit = [](const char *text) {
    // Never destroyed, as catchFatalErrors asks.
    auto *context = new llvm::LLVMContext;
    llvm::SMDiagnostic problem;
    auto *module = llvm::parseAssemblyString(text, problem, *context).release();
    EXPECT_NE(module, nullptr) << problem.getMessage().str();
    auto *backend = createCpuBackend(*Target::parse("cpu:x86-64-v3"), {}).release();
    module->setTargetTriple("x86_64-unknown-linux-gnu");
    return catchFatalErrors([&] { EXPECT_TRUE(bool(backend->emitCode({}, module))); });
  };
  auto message = emit("declare <4 x i32> @llvm.aarch64.neon.smax.v4i32(<4 x i32>, <4 x i32>)\n"
                      "define <4 x i32> @f(<4 x i32> %a) {\n"
                      "  %b = call <4 x i32> @llvm.aarch64.neon.smax.v4i32(<4 x i32> %a, <4 x i32> %a)\n"
                      "  ret <4 x i32> %b\n}\n");
  ASSERT_TRUE(message.has_value());
  EXPECT_NE(message->find("Cannot select"), std::string::npos) << *message;
  EXPECT_EQ(emit("define void @f() {\n  ret void\n}\n"), std::nullopt);
}

TEST(FatalErrorsDeathTest, OutsideTheGuardLlvmEndsTheProcess) {
  catchFatalErrors([] {});
  EXPECT_DEATH(llvm::report_fatal_error("on my own"), "on my own");
}

} // namespace
} // namespace tilewise
