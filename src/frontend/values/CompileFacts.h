// What a kernel's compile depends on beside its text and types: where it will run, and whether it is a debug build.
#pragma once

namespace tilewise::frontend {

struct CompileFacts {
  bool debug = false; ///< Assertions are emitted, and overflow of narrow integer arithmetic is asserted not to happen.
  bool isInterpreted = false; ///< Line by line: assertions and assumptions are checked always, and the host runs loops.
  bool isCuda = false;
  int capability = 0; ///< Of an NVIDIA GPU, as 90.
  unsigned numWarps = 4;
};

} // namespace tilewise::frontend
