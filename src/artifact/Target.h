// What a kernel is compiled for: an engine and, where it matters, the machine.
#pragma once

#include "support/Error.h"

#include <string>

namespace tilewise {

enum class Engine { Reference, Cpu, Nvidia };

struct Target {
  Engine engine = Engine::Cpu;
  /// NVIDIA: compute capability as 10 * major + minor, such as 90.
  int capability = 0;
  /// CPU: LLVM's name and features of the processor; empty means the one we run on.
  std::string cpu, cpuFeatures;

  /// "reference", "cpu", "cpu:haswell", "cuda:90"
  static Result<Target> parse(llvm::StringRef text);
  std::string str() const;
  bool operator==(const Target &) const = default;
};

} // namespace tilewise
