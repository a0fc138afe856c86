// Runs a lowered NVIDIA kernel on the host, thread by thread: what the LLVM dialect after
// `gpu-to-llvm` says, inline PTX included.
//
// It shows without a GPU that layouts, masks, conversions, reductions and barriers are right. Each
// thread runs until it must meet others (a barrier or a shuffle). Threads run forwards or
// backwards: where a barrier is missing, one of the two orders reads too early; and SharedRaces.h
// watches every byte of shared memory.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::nvidiatest {

struct Span {
  const void *begin;
  size_t bytes;
};

struct Simulation {
  mlir::ModuleOp module;
  std::vector<uint64_t> arguments; ///< One 8-byte slot each; pointers are host addresses.
  std::vector<Span> memory;        ///< What the kernel may touch.
  std::array<uint32_t, 3> grid{1, 1, 1};
  bool backwards = false;
  /// Boxes are copied at once where all else is done late: what is filled before it may be shows in
  /// what still reads it.
  bool copiesAtOnce = false;
  std::string printed = {}; ///< What threads had the host print.

  /// Empty, or what went wrong: a launch that the kernel ended, an access out of bounds or
  /// misaligned, threads at different barriers or with none between them, an op not known.
  std::string run();
};

} // namespace tilewise::nvidiatest
