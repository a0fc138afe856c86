// Tile IR text -> machine code in this process -> a launch over plain arrays; shared by the tests of the CPU back end.
#pragma once

#include "driver/Compile.h"
#include "ir/Tile.h"
#include "runtime/JitLinker.h"
#include "target/Backend.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace tilewise::cputest {

/// One compiled kernel. A null `run` after a failed compile; the test has failed already then.
class CompiledKernel {
public:
  explicit CompiledKernel(llvm::StringRef tileIr, const std::string &target = "cpu") {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(tileIr, &context);
    if (!expect(module.get() != nullptr, "parsing"))
      return;
    std::string name = tile::kernelOf(*module).getName().str();
    auto backend = createCpuBackend(*Target::parse(target), {});
    mlir::PassManager passes(&context);
    backend->addStagePasses(passes);
    backend->addLlvmPasses(passes);
    if (!expect(succeeded(passes.run(*module)), "passes"))
      return;
    llvm::LLVMContext llvmContext;
    auto translated = backend->translate(*module, llvmContext);
    if (!expect(bool(translated), translated ? "" : translated.failure().message))
      return;
    LaunchPlan plan;
    backend->fillPlan(*module, plan);
    auto code = backend->emitCode(**translated);
    if (!expect(bool(code), code ? "" : code.failure().message))
      return;
    auto linked = LinkedObject::link(*code, name);
    if (!expect(bool(linked), linked ? "" : linked.failure().message))
      return;
    object_.emplace(std::move(*linked));
    entry_ = reinterpret_cast<Entry>(object_->entry());
    scratch_.resize(plan.scratchBytes + 64);
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

  static bool expect(bool ok, const std::string &what) {
    EXPECT_TRUE(ok) << "compile failed: " << what;
    return ok;
  }

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
