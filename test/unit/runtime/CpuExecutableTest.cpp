// CPU artifacts made from hand-written LLVM IR: linking, the entry point's ABI, scratch, and what
// an object may not call.
#include "runtime/Executable.h"
#include "runtime/Scratch.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tilewise;

namespace {

std::string assemble(const char *text) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  std::string error;
  const std::string triple = llvm::sys::getDefaultTargetTriple();
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  EXPECT_TRUE(target) << error;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return std::string(object.begin(), object.end());
}

Artifact cpuArtifact(const char *name, std::string code, uint32_t scratchBytes = 0) {
  Artifact artifact;
  artifact.target.engine = Engine::Cpu;
  artifact.kernel = name;
  artifact.code = std::move(code);
  artifact.plan.scratchBytes = scratchBytes + LaunchPlan::kNoteBytes;
  return artifact;
}

// out[i] = add + i * grid[0], by way of scratch.
const char *kFill = R"(
define void @fill(ptr %arguments, ptr %scratch, ptr %grid, i64 %begin, i64 %end) {
entry:
  %out = load ptr, ptr %arguments
  %slot = getelementptr i64, ptr %arguments, i64 1
  %add = load i64, ptr %slot
  %g32 = load i32, ptr %grid
  %g = zext i32 %g32 to i64
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %product = mul i64 %i, %g
  %value = add i64 %product, %add
  store i64 %value, ptr %scratch
  %copy = load i64, ptr %scratch
  %at = getelementptr i64, ptr %out, i64 %i
  store i64 %copy, ptr %at
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
)";

TEST(CpuExecutable, RunsEveryProgramOfTheGrid) {
  auto loaded = loadCpuExecutable(cpuArtifact("fill", assemble(kFill), 64));
  ASSERT_TRUE(bool(loaded)) << loaded.failure().message;
  std::vector<int64_t> out(5 * 7 * 3, -1), expected(out.size());
  for (size_t i = 0; i < out.size(); ++i)
    expected[i] = 1000 + 5 * int64_t(i);
  const uint64_t arguments[] = {reinterpret_cast<uint64_t>(out.data()), 1000};
  auto launched = (*loaded)->launch(arguments, {{5, 7, 3}}, nullptr);
  ASSERT_TRUE(bool(launched)) << launched.failure().message;
  EXPECT_EQ(out, expected);
}

TEST(CpuExecutable, ObjectsWithTheSameSymbolLiveSideBySide) {
  auto first = loadCpuExecutable(cpuArtifact("fill", assemble(kFill), 64));
  auto second = loadCpuExecutable(cpuArtifact("fill", assemble(kFill), 64));
  ASSERT_TRUE(first && second);
  first = internalFailure("unloaded");
  int64_t out = -1;
  const uint64_t arguments[] = {reinterpret_cast<uint64_t>(&out), 3};
  ASSERT_TRUE(bool((*second)->launch(arguments, {{1, 1, 1}}, nullptr)));
  EXPECT_EQ(out, 3);
}

TEST(CpuExecutable, ObjectsMayCallMemset) {
  auto loaded = loadCpuExecutable(cpuArtifact("clear", assemble(R"(
declare ptr @memset(ptr, i32, i64)
define void @clear(ptr %arguments, ptr %scratch, ptr %grid, i64 %begin, i64 %end) {
  %out = load ptr, ptr %arguments
  %r = call ptr @memset(ptr %out, i32 7, i64 16)
  ret void
}
)")));
  ASSERT_TRUE(bool(loaded)) << loaded.failure().message;
  std::vector<char> out(17, 0), expected(17, 7);
  expected.back() = 0;
  const uint64_t arguments[] = {reinterpret_cast<uint64_t>(out.data())};
  ASSERT_TRUE(bool((*loaded)->launch(arguments, {{1, 1, 1}}, nullptr)));
  EXPECT_EQ(out, expected);
}

TEST(CpuExecutable, OtherCallsAreRefusedByName) {
  auto loaded = loadCpuExecutable(cpuArtifact("bad", assemble(R"(
declare i32 @system(ptr)
define void @bad(ptr %arguments, ptr %scratch, ptr %grid, i64 %begin, i64 %end) {
  %r = call i32 @system(ptr %scratch)
  ret void
}
)")));
  ASSERT_FALSE(bool(loaded));
  EXPECT_EQ(loaded.failure().kind, ErrorKind::Internal);
  EXPECT_NE(loaded.failure().message.find("system"), std::string::npos) << loaded.failure().message;
}

TEST(CpuExecutable, AMissingEntryPointIsAnError) {
  auto loaded = loadCpuExecutable(cpuArtifact("absent", assemble(kFill)));
  ASSERT_FALSE(bool(loaded));
  EXPECT_NE(loaded.failure().message.find("absent"), std::string::npos) << loaded.failure().message;
}

TEST(CpuExecutable, AnythingButElfIsAnError) {
  EXPECT_FALSE(bool(loadCpuExecutable(cpuArtifact("fill", "not an object"))));
}

TEST(Scratch, IsAlignedReusedAndNests) {
  void *first = nullptr;
  {
    ScratchFrame outer(1000);
    first = outer.data();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
    ScratchFrame inner(1000);
    EXPECT_NE(inner.data(), outer.data());
  }
  ScratchFrame again(500);
  EXPECT_EQ(again.data(), first);
}

} // namespace
