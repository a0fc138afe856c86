// One kernel: compiled for two engines, launched on equal memory, compared.
#pragma once

#include "Emit.h"

namespace tilewise::random {

struct Outcome {
  enum Kind {
    Same,
    Refused,    ///< The engine says that it cannot run this kernel yet.
    NotPlanted, ///< The planted mistake has nothing to change here.
    NoCompile,
    NoLaunch,
    Different,
    Crash,
    Hang,
  };
  Kind kind = Same;
  std::string text;

  bool isFailure() const { return kind >= NoCompile; }
};

struct RunOptions {
  std::string engine = "cpu"; ///< "cpu", "cpu:haswell", "cuda"; compared with the reference engine.
  int plant = 0;              ///< The number of a planted mistake, see Plant.h.
  int launches = 2;           ///< With different values each.
};

/// In this process: a crash is a crash.
Outcome runKernel(const Emitted &kernel, const RunOptions &options);

/// Writes PATH.py, the kernel, PATH.bin, per buffer what it held before a launch on the reference
/// engine and after it, and PATH.txt, what was printed: for hosts that this program cannot drive.
/// Without fusion, which is the compiler's. Empty, or what went wrong.
std::string dumpKernel(Emitted kernel, const std::string &path);

const char *kindName(Outcome::Kind kind);

} // namespace tilewise::random
