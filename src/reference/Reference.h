// The reference engine: executes tile IR literally, block by block, in plain C++. It defines what a
// kernel means.
#pragma once

#include "artifact/ArgumentSpan.h"
#include "artifact/Artifact.h"
#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <functional>
#include <memory>

namespace tilewise::reference {

/// What a launch may say beyond its arguments.
struct LaunchServices {
  /// The memory of each launch parameter, those of numbers unused; none at all means that no size
  /// is known.
  llvm::ArrayRef<ArgumentSpan> spans;
  /// Where tl.device_print goes, a number of whole lines at a time; standard output when there is
  /// none.
  std::function<void(llvm::StringRef)> print;
  /// Asked between programs and in their loops, by every thread of the launch: true ends the launch
  /// with a failure.
  std::function<bool()> interrupted;
  /// All programs live at once and take turns, so that each may wait for any other.
  bool cooperative = false;
};

class Program {
public:
  /// Parses and decodes the artifact's tile IR; nothing of MLIR is left when it is done.
  static Result<std::unique_ptr<Program>> load(const Artifact &artifact);
  virtual ~Program() = default;

  /// Runs every program of the grid; `arguments` has one slot per launch parameter, as
  /// artifact/Artifact.h says. The first program that fails ends the launch, see Checked.h; what
  /// other programs wrote stays.
  virtual Result<void> run(llvm::ArrayRef<uint64_t> arguments, std::array<uint32_t, 3> grid,
                           const LaunchServices &services = {}) = 0;
};

} // namespace tilewise::reference
