// What a kernel's compile depends on beside its text and types: where it will run, and what the
// launch asks for.
#pragma once

#include "artifact/LaunchOptions.h"
#include "artifact/Target.h"

namespace tilewise::frontend {

struct CompileFacts {
  Target target;
  LaunchOptions options;
  /// Line by line: assertions and assumptions are checked always, and the host runs loops.
  bool isInterpreted = false;

  bool isCuda() const { return target.engine == Engine::Nvidia; }
};

} // namespace tilewise::frontend
