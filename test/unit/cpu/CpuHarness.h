// Tile IR text -> machine code in this process -> a launch over plain arrays; shared by the tests
// of the CPU back end.
#pragma once

#include "artifact/Artifact.h"
#include "driver/Compile.h"
#include "ir/Tile.h"
#include "runtime/JitLinker.h"
#include "target/Backend.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace tilewise::cputest {

/// The machine code of a kernel given as tile IR; without code after a failed compile, and the test
/// has failed already then.
inline Artifact compileTileIr(llvm::StringRef tileIr, const std::string &target = "cpu") {
  auto expect = [](bool ok, const std::string &what) {
    EXPECT_TRUE(ok) << "compile failed: " << what;
    return ok;
  };
  Artifact artifact;
  artifact.target = *Target::parse(target);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(tileIr, &context);
  if (!expect(module.get() != nullptr, "parsing"))
    return artifact;
  artifact.kernel = tile::kernelOf(*module).getName().str();
  auto backend = createCpuBackend(artifact.target, {});
  mlir::PassManager passes(&context);
  for (const Backend::Stage &stage : backend->stages())
    stage.addPasses(passes);
  if (!expect(succeeded(passes.run(*module)), "passes"))
    return artifact;
  llvm::LLVMContext llvmContext;
  auto translated = backend->translate(*module, llvmContext);
  if (!expect(bool(translated), translated ? "" : translated.failure().message))
    return artifact;
  backend->fillPlan(*module, artifact.plan);
  auto code = backend->emitCode(*module, translated->get());
  if (expect(bool(code), code ? "" : code.failure().message))
    artifact.code = std::move(*code);
  return artifact;
}

/// One compiled kernel. A null `run` after a failed compile; the test has failed already then.
class CompiledKernel {
public:
  explicit CompiledKernel(llvm::StringRef tileIr, const std::string &target = "cpu") {
    const Artifact artifact = compileTileIr(tileIr, target);
    if (artifact.code.empty())
      return;
    auto linked = LinkedObject::link(artifact.code, artifact.kernel);
    EXPECT_TRUE(linked) << linked.failure().message;
    if (!linked)
      return;
    object_.emplace(std::move(*linked));
    entry_ = reinterpret_cast<Entry>(object_->entry());
    scratch_.resize(artifact.plan.scratchBytes + 64);
  }

  explicit operator bool() const { return entry_ != nullptr; }

  /// Whether launches say that they write more than the caches hold.
  bool streams = false;

  /// Pointers, integers and floats, in the kernel's order.
  template <typename... Args> void run(std::array<uint32_t, 3> grid, Args... args) {
    uint64_t slots[] = {slot(args)...};
    runSlots(grid, slots);
  }

  void runSlots(std::array<uint32_t, 3> grid, llvm::ArrayRef<uint64_t> slots) {
    if (!entry_)
      return;
    auto *scratch = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(scratch_.data()) + 63) / 64 * 64);
    const uint32_t gridAndStreams[] = {grid[0], grid[1], grid[2], streams};
    entry_(slots.data(), scratch, gridAndStreams, 0, uint64_t(grid[0]) * grid[1] * grid[2]);
  }

private:
  using Entry = void (*)(const uint64_t *, void *, const uint32_t *, uint64_t, uint64_t);

  template <typename T> static uint64_t slot(T value) {
    uint64_t bits = 0;
    if constexpr (std::is_integral_v<T>)
      return uint64_t(int64_t(value));
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }

  std::optional<LinkedObject> object_;
  Entry entry_ = nullptr;
  std::vector<char> scratch_;
};

} // namespace tilewise::cputest
