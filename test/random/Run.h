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

const char *kindName(Outcome::Kind kind);

} // namespace tilewise::random
