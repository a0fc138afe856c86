// One call of a CPU kernel that asks for the reference engine's help, see target/cpu/HostCalls.h:
// what the kernel's last argument points to.
#pragma once

#include "reference/DelegatedOps.h"

#include <array>
#include <csetjmp>
#include <mutex>
#include <optional>
#include <vector>

namespace tilewise {

/// What the calls of a launch share.
struct CpuLaunch {
  CpuLaunch(const reference::DelegatedOps &ops, llvm::ArrayRef<ArgumentSpan> spans, std::array<uint32_t, 3> grid);

  const reference::DelegatedOps &ops;
  reference::LaunchServices services;
  /// The spans as compiled code holds addresses against them: an argument of unknown size has none,
  /// so that every access through it is asked about.
  std::vector<ArgumentSpan> compiledSpans;
  std::array<uint32_t, 3> grid;

  std::mutex mutex;
  std::optional<Failure> failure; ///< Of the first program, by its number, that failed.
  uint64_t failedProgram = UINT64_MAX;

  /// Keeps the failure unless an earlier program has failed.
  void fail(uint64_t program, Failure why);
  /// Whether program `program` need not run: one before it has failed.
  bool isOver(uint64_t program);
  bool hasFailed() { return isOver(UINT64_MAX); }
};

/// A thread's run of some programs.
struct CpuCall {
  const ArgumentSpan *spans; ///< First: compiled code reads it.
  CpuLaunch &launch;
  std::unique_ptr<reference::DelegatedOps::Workspace> workspace; ///< Made when first needed.
  /// Where a program that failed leaves to; no frame between has anything to clean up.
  std::jmp_buf stop;
};

/// The function that kernels call.
void runDelegated(CpuCall *call, int64_t number, const void *const *operands, uint32_t x, uint32_t y, uint32_t z);

} // namespace tilewise
